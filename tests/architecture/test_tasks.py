"""Rules for plays and tasks."""

import re

PLAYBOOK_LINES = 64
TASK_FILE_LINES = 80
README_LINES = 120

# Keys of a task that are modules.
FULL_NAME = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+\.[a-z0-9_]+")

# Modules that use Ansible's own classes: vault, inventory, plugins, directory of a run.
NEXT_TO_ANSIBLE = (
    "_site/reader",
    "_site/samples",
    "_site/variables",
    "_operations/inputs_digest",
    "_operations/logged_callback",
    "_operations/packed_modules",
    "_operations/progress_line",
    "_operations/resumable_action",
    "_operations/task_presence",
    "_security/provided_files",
    "_security/vault_password",
    "_security/vault_store",
    "_site/play_inventory",
    "_site/state_directory",
    "_site/state_migration",
)


def longer_than(repository, limit, *patterns):
    files = repository.files(*patterns)
    assert files, f"no file matches {patterns}"
    return [path for path in files if len(repository.lines(path)) > limit]


def test_playbooks_are_short(repository):
    assert longer_than(repository, PLAYBOOK_LINES, "playbooks/*.yml") == []


def test_task_files_are_short(repository):
    assert longer_than(repository, TASK_FILE_LINES, "roles/*/tasks/**/*.yml") == []


def test_the_readme_is_short(repository):
    assert longer_than(repository, README_LINES, "README.md") == []


def test_every_task_has_a_name(repository):
    nameless = [f"{path}: {task}" for path, task in repository.tasks() if not task.get("name")]
    assert nameless == []


def test_names_of_conditional_actions_claim_no_fault(repository):
    """Output also names tasks that are skipped: there, a name must not read like a fault."""
    fault = re.compile(r"\b(failed|refused|interrupted|damaged|broken|dead)\b")
    # Names that report or check, or that have a condition.
    right = re.compile(r"(Report|Refuse|Check|Fail|Compute|Add) |.*\b(if|any|unless)\b")
    conditional = [
        *((path, task["name"]) for path, task in repository.tasks() if "when" in task),
        *(
            (path, play["name"])
            for path in repository.files("playbooks/*.yml")
            for play in repository.yaml(path) or []
        ),
    ]
    assert len(conditional) > 200
    claims = [
        f"{path}: {name}"
        for path, name in conditional
        if fault.search(name) and not right.match(name)
    ]
    assert claims == []


def test_modules_are_named_with_their_collection(repository):
    short = [
        f"{path}: {task['name']}"
        for path, task in repository.tasks()
        if "block" not in task and sum(bool(FULL_NAME.fullmatch(key)) for key in task) != 1
    ]
    assert short == []


def test_no_task_ignores_errors_or_pauses(repository):
    forbidden = {"ignore_errors", "ignore_unreachable", "ansible.builtin.pause"}
    found = [
        f"{path}: {task['name']}: {key}"
        for path, task in repository.tasks()
        for key in task
        if key in forbidden
    ]
    assert found == []


def test_shell_and_ignored_failures_have_a_comment(repository):
    bare = re.compile(r"^\s*(- )?(ansible\.builtin\.(shell|raw):|failed_when: false\b)")
    unexplained = []
    for path in repository.files("roles/**/*.yml", "playbooks/**/*.yml"):
        lines = repository.lines(path)
        for number, line in enumerate(lines):
            if bare.match(line) and not any("#" in near for near in _task(lines, number)):
                unexplained.append(f"{path}:{number + 1}: {line.strip()}")
    assert unexplained == []


def _task(lines, number):
    """Paragraph around a line: empty lines separate tasks."""
    first = last = number
    while first > 0 and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    return lines[first : last + 1]


def test_modules_have_check_mode_and_documentation(repository):
    lacking = [
        f"{path} lacks {word}"
        for path in repository.files("plugins/modules/*.py")
        for word in (
            "DOCUMENTATION",
            "EXAMPLES",
            "RETURN",
            "supports_check_mode=True",
        )
        if word not in repository.text(path)
    ]
    lacking += [
        f"{path} has no attributes of its own or from a fragment"
        for path in repository.files("plugins/modules/*.py")
        if not re.search(
            r"^attributes:|metal\.kafka\.only_reads", repository.text(path), re.MULTILINE
        )
    ]
    assert lacking == []


def test_utils_do_not_import_ansible(repository):
    imports = re.compile(r"^\s*(from|import) ansible[. ]", re.MULTILINE)
    files = repository.files("plugins/*_utils/**/*.py")
    assert len(files) > 100
    found = {path for path in files if imports.search(repository.text(path))}
    assert found == {f"plugins/plugin_utils/{name}.py" for name in NEXT_TO_ANSIBLE}


def test_templates_use_no_unordered_set_filters(repository):
    """Set filters return another order in every process, which a run reports as a change."""
    unordered = re.compile(r"\|\s*(difference|union|intersect|symmetric_difference)\b")
    files = repository.files("roles/**/*.yml", "roles/**/*.j2", "playbooks/**/*.yml")
    assert files
    found = [path for path in files if unordered.search(repository.text(path))]
    assert found == [], "use reject('in', …), select('in', …) or unique"


# Loops whose items are no hosts.
NO_HOSTS = {
    ("playbooks/internal_status.yml", "Read the state of a service"): "roles that this host reads",
}


def test_no_task_loops_over_hosts(repository):
    """A play runs a task on all hosts at the same time; a loop takes one after the other.

    On each of 50 hosts, such a loop runs a task 2,500 times.
    """
    hosts = re.compile(r"\b(groups|hostvars|ansible_play_(hosts|batch)\w*)\b")
    found = {
        (path, task["name"])
        for path, task in repository.tasks()
        for key, items in task.items()
        if (key == "loop" or key.startswith("with_")) and hosts.search(str(items))
    }
    assert found == set(NO_HOSTS)
