"""A step that fails ends the run: what Ansible needs for it stands in every play."""

import re

# Playbooks whose plays go on with the hosts that are left, and why.
GO_ON = {
    "down.yml": "what can be stopped is stopped",
    "internal_stop.yml": "as above",
    "destroy.yml": "what can be deleted is deleted, once the name was given",
    "internal_forget.yml": "as above",
    "internal_undeclared.yml": "as above",
    "internal_unshare.yml": "as above",
    "internal_first_reachable.yml": "only finds out which machines answer",
    "internal_survey.yml": "only reads: internal_deletable.yml refuses when a host is missing",
    "logs.yml": "only reads: the log of the machine that has the service",
    "internal_status.yml": "only reads: a screen names what does not answer",
    "support.yml": "only reads: the archive holds what could be gathered",
    "verify.yml": "only reads: a table of the hosts that answer",
    "replicas.yml": "only reads: compares the brokers that answer",
    "render.yml": "writes on the control node alone",
}
# Plays of these only read, and take a machine that cannot be reached for an answer; for
# credentials.yml it is a reason not to make new keys.
READ_WHAT_ANSWERS = (
    *("internal_engine_status.yml", "internal_log_dirs.yml", "internal_first_reachable.yml"),
    *("logs.yml", "support.yml"),
    "credentials.yml",
)
UNLIMITED = "internal_unlimited.yml"
# Verbs that end with a screen also with --limit, and why.
SHOWN_ANEW = {"logs.yml": "a play on all hosts shows what this run has read"}
SCREEN = "metal.kafka.screen"
# A play on one host ends the run by itself: none is left.
ONE_HOST = re.compile(
    r"localhost|\w+\[0\]|.*\[:1\].*|.*\bdisk_host\b.*|.*first_reachable.*", re.DOTALL
)
# any_errors_fatal alone lets a run go on after an unreachable host: Ansible counts that host twice,
# and no longer finds that all hosts have failed.
BOTH = {"any_errors_fatal": True, "max_fail_percentage": 0}


def plays(repository):
    for path in repository.files("playbooks/*.yml"):
        for play in repository.yaml(path):
            if "hosts" in play:
                yield path.removeprefix("playbooks/"), play


def refuses_a_limit(repository, path):
    """Whether the playbook does so before its own plays."""
    first = repository.yaml(f"playbooks/{path}")[0]
    return first.get("ansible.builtin.import_playbook") == UNLIMITED


def rolls(play):
    """Plays that restart in turns: a host that is well must not share the rescue of another."""
    return "serial" in play


def test_a_play_that_fails_on_one_host_ends_the_run_for_all(repository):
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


def test_what_refuses_a_run_does_so_with_a_limit_too(repository):
    """Ansible leaves a play on localhost out of a run with --limit."""
    wrong = [
        f"{path}: {play['name']}"
        for path, play in plays(repository)
        if play["hosts"] == "localhost" and not refuses_a_limit(repository, path)
        if any("ansible.builtin.assert" in task for task in play["tasks"])
        # Without hosts there is nothing to limit.
        and path != "internal_one_cluster.yml"
    ]
    assert wrong == []


def test_a_screen_about_all_hosts_is_not_left_out(repository):
    """With --limit the play that shows it may have no host, and files are of an earlier run."""
    verbs = [path for path in repository.files("playbooks/*.yml") if "/internal_" not in path]
    answering = {
        path.removeprefix("playbooks/")
        for path in verbs
        if SCREEN in repository.text(path) or "'state.directory') }}/" in repository.text(path)
    }
    assert len(answering) > 8
    assert {
        path for path in answering - set(SHOWN_ANEW) if not refuses_a_limit(repository, path)
    } == set()


def test_a_screen_is_the_last_task(repository):
    """What follows it would push it off the terminal."""
    shown = [
        (path, [SCREEN in task for task in play["tasks"]])
        for path, play in plays(repository)
        if any(SCREEN in task for task in play.get("tasks", ()))
    ]
    assert len(shown) > 9
    assert [path for path, found in shown if found != [False] * (len(found) - 1) + [True]] == []


def test_a_play_that_restarts_in_turns_ends_with_the_first_that_fails(repository):
    found = [play for _, play in plays(repository) if rolls(play)]
    assert len(found) == 2
    assert [play["name"] for play in found if play.get("max_fail_percentage") != 0] == []
    assert [play["name"] for play in found if play.get("any_errors_fatal")] == []


def test_no_play_gathers_facts_of_its_own(repository):
    """With the collection installed Ansible's default asks every host before every play."""
    wrong = [
        f"{path}: {play['name']}"
        for path, play in plays(repository)
        if play.get("gather_facts") is not False
    ]
    assert wrong == []


def test_every_playbook_that_goes_on_is_still_there(repository):
    assert GO_ON.keys() - {path for path, _ in plays(repository)} == set()


def test_no_play_ignores_an_unreachable_host_but_those_that_only_read(repository):
    wrong = [
        f"{path}: {play['name']}"
        for path, play in plays(repository)
        if play.get("ignore_unreachable") or play.get("ignore_errors")
        if path not in READ_WHAT_ANSWERS
    ]
    assert wrong == []


def test_content_is_refused_before_the_store_has_new_passwords(repository):
    steps = [
        each.get("ansible.builtin.import_playbook")
        for each in repository.yaml("playbooks/rotate.yml")
    ]
    assert steps.index("topics.yml") < steps.index("internal_rotate.yml")


def test_declarations_are_judged_then_engines_started_then_keys_made(repository):
    steps = [
        each["ansible.builtin.import_playbook"] for each in repository.yaml("playbooks/site.yml")
    ]
    order = ("preflight.yml", "internal_statements.yml", "internal_engine.yml", "credentials.yml")
    places = [steps.index(name) for name in order]
    assert places == sorted(places)
