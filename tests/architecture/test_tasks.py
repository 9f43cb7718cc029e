"""How plays and tasks are written."""

import re

PLAYBOOK_LINES = 64
TASK_FILE_LINES = 80
README_LINES = 120

# Words of a task that are no module.
FULL_NAME = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+\.[a-z0-9_]+")

# What is made of Ansible's own classes and settings: vault, inventory, plugins, folder of a run.
NEXT_TO_ANSIBLE = (
    "_site/reader",
    "_site/samples",
    "_site/variables",
    "_operations/inputs_digest",
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
    assert files, f"no file matches {patterns}: the rule holds nothing"
    return [path for path in files if len(repository.lines(path)) > limit]


def test_a_playbook_fits_on_a_page(repository):
    assert longer_than(repository, PLAYBOOK_LINES, "playbooks/*.yml") == []


def test_a_task_file_has_one_subject(repository):
    assert longer_than(repository, TASK_FILE_LINES, "roles/*/tasks/**/*.yml") == []


def test_the_readme_is_read_in_one_sitting(repository):
    assert longer_than(repository, README_LINES, "README.md") == []


def test_every_task_says_the_state_it_reaches(repository):
    nameless = [f"{path}: {task}" for path, task in repository.tasks() if not task.get("name")]
    assert nameless == []


def test_every_module_has_its_full_name(repository):
    short = [
        f"{path}: {task['name']}"
        for path, task in repository.tasks()
        if "block" not in task and sum(bool(FULL_NAME.fullmatch(key)) for key in task) != 1
    ]
    assert short == []


def test_no_task_ignores_errors_or_waits_for_the_clock(repository):
    forbidden = {"ignore_errors", "ignore_unreachable", "ansible.builtin.pause"}
    found = [
        f"{path}: {task['name']}: {key}"
        for path, task in repository.tasks()
        for key in task
        if key in forbidden
    ]
    assert found == []


def test_shell_and_swallowed_failures_give_their_reason(repository):
    bare = re.compile(r"^\s*(- )?(ansible\.builtin\.(shell|raw):|failed_when: false\b)")
    unexplained = []
    for path in repository.files("roles/**/*.yml", "playbooks/**/*.yml"):
        lines = repository.lines(path)
        for number, line in enumerate(lines):
            if bare.match(line) and not any("#" in near for near in _task(lines, number)):
                unexplained.append(f"{path}:{number + 1}: {line.strip()}")
    assert unexplained == []


def _task(lines, number):
    """The paragraph of a file around a line: tasks are set apart by empty lines."""
    first = last = number
    while first > 0 and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    return lines[first : last + 1]


def test_modules_have_a_check_mode_and_say_what_they_do(repository):
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
        f"{path} says no attributes, and has them from no fragment"
        for path in repository.files("plugins/modules/*.py")
        if not re.search(
            r"^attributes:|metal\.kafka\.only_reads", repository.text(path), re.MULTILINE
        )
    ]
    assert lacking == []


def test_logic_is_apart_from_ansible(repository):
    imports = re.compile(r"^\s*(from|import) ansible[. ]", re.MULTILINE)
    files = repository.files("plugins/*_utils/**/*.py")
    assert len(files) > 100
    found = {path for path in files if imports.search(repository.text(path))}
    assert found == {f"plugins/plugin_utils/{name}.py" for name in NEXT_TO_ANSIBLE}


def test_lists_keep_the_order_of_their_declaration(repository):
    """Filters on sets give another order in every process, which a run takes for a change."""
    unordered = re.compile(r"\|\s*(difference|union|intersect|symmetric_difference)\b")
    files = repository.files("roles/**/*.yml", "roles/**/*.j2", "playbooks/**/*.yml")
    assert files
    found = [path for path in files if unordered.search(repository.text(path))]
    assert found == [], "say reject('in', …), select('in', …) or unique"
