"""A failed step ends the run: every play has the keywords that Ansible needs for it."""

import re

# Playbooks whose plays continue with the remaining hosts, and why.
GO_ON = {
    "down.yml": "stops as much as possible",
    "internal_stop.yml": "as above",
    "destroy.yml": "deletes as much as possible after the confirmation",
    "internal_forget.yml": "as above",
    "internal_undeclared.yml": "as above",
    "internal_unshare.yml": "as above",
    "internal_first_reachable.yml": "only determines which machines respond",
    "internal_survey.yml": "only reads: internal_deletable.yml refuses missing hosts",
    "logs.yml": "only reads: the log of the machine that has the service",
    "internal_status.yml": "only reads: the screen names services that do not respond",
    "support.yml": "only reads: the archive has all available data",
    "verify.yml": "only reads: a table of responding hosts",
    "replicas.yml": "only reads: compares responding brokers",
    "render.yml": "only writes on the control node",
}
# Plays that only read, and accept unreachable machines; in credentials.yml an unreachable machine
# prevents new keys.
READ_REACHABLE = (
    *("internal_machine_state.yml", "internal_status.yml", "internal_log_dirs.yml"),
    "internal_first_reachable.yml",
    *("internal_log_tail.yml", "support.yml", "internal_support_metrics.yml"),
    "credentials.yml",
)
# Plays that only write a note of ours; an unreachable machine keeps its own.
NOTES = ("internal_changes_begin.yml", "internal_changes_end.yml")
# Playbooks that change services and are no verbs of `make`, or write the baseline themselves.
OTHER_BASELINE = {
    **dict.fromkeys(("site.yml", "up.yml"), "internal_baseline.yml writes all of it"),
    "plan.yml": "changes nothing",
    "pipelines.yml": "internal_part_end.yml writes its part",
    "reboot.yml": "changes no configuration",
    **dict.fromkeys(("kafka.yml", "spark.yml", "zookeeper.yml"), "a part of site.yml"),
}
BEGIN = "internal_begin.yml"
# Verbs that print a screen with --limit as well, and why.
SCREEN_WITH_LIMIT = {"logs.yml": "a play on all hosts prints results of this run"}
SCREEN = "metal.kafka.screen"
# A play on one host ends the run without further keywords: no host remains.
ONE_HOST = re.compile(
    r"localhost|\w+\[0\]|.*\[:1\].*|.*\bdisk_host\b.*|.*first_reachable.*", re.DOTALL
)
# With any_errors_fatal alone, a run continues after an unreachable host: Ansible counts that host
# twice, and does not notice that all hosts have failed.
BOTH = {"any_errors_fatal": True, "max_fail_percentage": 0}


def plays(repository):
    for path in repository.files("playbooks/*.yml"):
        for play in repository.yaml(path):
            if "hosts" in play:
                yield path.removeprefix("playbooks/"), play


def refuses_a_limit(repository, path):
    """Whether the playbook refuses --limit before its own plays."""
    first = repository.yaml(f"playbooks/{path}")[0]
    imported = first.get("ansible.builtin.import_playbook") == BEGIN
    return imported and first.get("vars", {}).get("begin_whole") is True


def rolls(play):
    """Whether a play restarts in sequence: healthy hosts must not run the rescue of others."""
    return "serial" in play


def test_a_failed_host_ends_the_run_for_all(repository):
    wrong = [
        f"{path}: {play['name']}"
        for path, play in plays(repository)
        if path not in GO_ON
        and not play.get("ignore_unreachable")
        and not ONE_HOST.fullmatch(play["hosts"])
        and not rolls(play)
        if {key: play.get(key) for key in BOTH} != BOTH
    ]
    assert wrong == []


def test_refusals_work_with_a_limit(repository):
    """Ansible leaves plays on localhost out of a run with --limit."""
    wrong = [
        f"{path}: {play['name']}"
        for path, play in plays(repository)
        if play["hosts"] == "localhost" and not refuses_a_limit(repository, path)
        if any("ansible.builtin.assert" in task for task in play["tasks"])
    ]
    assert wrong == []


def test_playbooks_with_a_screen_refuse_a_limit(repository):
    """With --limit, the play with the screen may have no host, and files are of an earlier run."""
    verbs = [path for path in repository.files("playbooks/*.yml") if "/internal_" not in path]
    answering = {
        path.removeprefix("playbooks/")
        for path in verbs
        if SCREEN in repository.text(path) or "'state.directory') }}/" in repository.text(path)
    }
    assert len(answering) > 8
    assert {
        path for path in answering - set(SCREEN_WITH_LIMIT) if not refuses_a_limit(repository, path)
    } == set()


def test_a_screen_is_the_last_task(repository):
    """Output of later tasks would scroll the screen out of the terminal."""
    shown = [
        (path, [SCREEN in task for task in play["tasks"]])
        for path, play in plays(repository)
        if any(SCREEN in task for task in play.get("tasks", ()))
    ]
    assert len(shown) > 9
    assert [path for path, found in shown if found != [False] * (len(found) - 1) + [True]] == []


def test_a_rolling_play_ends_with_the_first_failure(repository):
    found = [play for _, play in plays(repository) if rolls(play)]
    assert len(found) == 2
    assert [play["name"] for play in found if play.get("max_fail_percentage") != 0] == []
    assert [play["name"] for play in found if play.get("any_errors_fatal")] == []


def test_no_play_gathers_facts_implicitly(repository):
    """With the installed collection, Ansible's default gathers facts in every play."""
    wrong = [
        f"{path}: {play['name']}"
        for path, play in plays(repository)
        if play.get("gather_facts") is not False
    ]
    assert wrong == []


def test_every_exception_is_a_playbook(repository):
    assert GO_ON.keys() - {path for path, _ in plays(repository)} == set()


def test_only_reading_plays_ignore_unreachable_hosts(repository):
    wrong = [
        f"{path}: {play['name']}"
        for path, play in plays(repository)
        if play.get("ignore_unreachable") or play.get("ignore_errors")
        if path not in (*READ_REACHABLE, *NOTES)
    ]
    assert wrong == []


def changes_services(repository, path):
    """Whether a playbook imports, also indirectly, the play that applies declarations."""
    steps = [
        each.get("ansible.builtin.import_playbook", "")
        for each in repository.yaml(f"playbooks/{path}")
    ]
    return "internal_converge.yml" in steps or any(
        changes_services(repository, step) for step in steps if step
    )


def test_verbs_add_their_changes_to_the_baseline(repository):
    paths = [path.removeprefix("playbooks/") for path in repository.files("playbooks/*.yml")]
    verbs = [
        path
        for path in paths
        if not path.startswith("internal_") and changes_services(repository, path)
    ]
    assert OTHER_BASELINE.keys() - {"pipelines.yml"} < set(verbs)
    wrong = [
        path
        for path in verbs
        if path not in OTHER_BASELINE
        and [name for name in NOTES if name in repository.text(f"playbooks/{path}")] != [*NOTES]
    ]
    assert wrong == []


def test_content_is_validated_before_new_passwords(repository):
    steps = [
        each.get("ansible.builtin.import_playbook")
        for each in repository.yaml("playbooks/rotate.yml")
    ]
    assert steps.index("internal_content.yml") < steps.index("internal_rotate.yml")


def test_a_rotation_is_refused_before_anything_changes(repository):
    imports = [
        each
        for each in repository.yaml("playbooks/rotate.yml")
        if "ansible.builtin.import_playbook" in each
    ]
    steps = [each["ansible.builtin.import_playbook"] for each in imports]
    refusal = steps.index("internal_rotate_store.yml")
    assert imports[refusal]["vars"]["rotate_checks"] is True
    assert refusal < steps.index("internal_changes_begin.yml") < steps.index("internal_content.yml")


def test_validation_precedes_engines_and_keys(repository):
    steps = [
        each["ansible.builtin.import_playbook"] for each in repository.yaml("playbooks/site.yml")
    ]
    order = ("preflight.yml", "internal_statements.yml", "internal_engine.yml", "credentials.yml")
    places = [steps.index(name) for name in order]
    assert places == sorted(places)


def test_content_is_compared_before_hosts_and_services_change(repository):
    steps = [
        each["ansible.builtin.import_playbook"] for each in repository.yaml("playbooks/site.yml")
    ]
    assert steps.index("internal_unchanged.yml") < steps.index("internal_content_check.yml")
    changing = ("host.yml", "images.yml", "zookeeper.yml", "kafka.yml", "internal_content.yml")
    assert steps.index("internal_content_check.yml") < min(map(steps.index, changing))
