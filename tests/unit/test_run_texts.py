"""Changes and failures of a run as text."""

import time
from datetime import UTC, datetime

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.applied_changes import Applied
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.failure_text import (
    TAIL_LINES,
    Failures,
    message,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.host_count import host_count
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.logged_callback import verb_of
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.remaining_work import clock
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.run_log import RunLog
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.run_output import (
    Colours,
    Output,
)

CONTAINER = "community.docker.docker_container"


def container(name: str, running: bool = True, started: float | None = None) -> dict:
    """Return a result of the container module; by default it started after every test."""
    moment = datetime.fromtimestamp(started or time.time() + 86_400, UTC).isoformat()
    state = {"Running": running, "StartedAt": f"{moment[:19]}.123456789Z"}
    return {"changed": True, "container": {"Name": f"/local-{name}", "State": state}}


def words(*results: tuple[str, str, dict]) -> str:
    applied = Applied("local")
    for host, action, result in results:
        applied.add(host, action, "metal.kafka.service : Write files: kafka1", result)
    return applied.summary_line()


@pytest.mark.parametrize(
    ("results", "text"),
    [
        ([], ""),
        ([("h1", "command", {"changed": False})], ""),
        (
            [(f"h{n}", CONTAINER, container(f"kafka{n}")) for n in (1, 2, 3)],
            "3 containers started: kafka1, kafka2, kafka3",
        ),
        ([("h1", CONTAINER, container("zk1", running=False))], "1 container stopped: zk1"),
        # New limits restart no container.
        (
            [("h1", CONTAINER, container("zk1", started=1_000_000))],
            "container zk1 is updated on h1",
        ),
        (
            [("h1", CONTAINER, {"changed": True, "container": {"Output": "done", "State": {}}})],
            "Write files: kafka1 on h1",
        ),
        ([("h1", CONTAINER, {"changed": True})], "Write files: kafka1 on h1"),
        (
            [(host, "metal.kafka.service_files", {"changed": True}) for host in ("h2", "h1")],
            "Write files on h1, h2",
        ),
        (
            [
                (h, "command", {"changed": True, "steps": ["store X: created"]})
                for h in ("h1", "h2")
            ],
            "store X: created on h1, h2",
        ),
        (
            [("h1", "metal.kafka.topics", {"changed": True, "steps": [f"t{n}" for n in range(9)]})],
            "t0; t1; t2; and 6 more",
        ),
        (
            [("h1", "copy", {"changed": True, "steps": ["a\x1b[2J\nb"]})],
            "a\\x1b[2J\\nb on h1",
        ),
    ],
)
def test_changes_are_in_words(results, text):
    assert words(*results) == text


@pytest.mark.parametrize(
    ("result", "lines"),
    [
        ({"msg": "Task failed: Module failed: no disk"}, ["no disk"]),
        ({"msg": "one\n\n\ttwo\r\n\x1b[31mthree\x1b[0m\x07"}, ["one", "        two", "three\\x07"]),
        ({"msg": ["one", "two"]}, ["one", "two"]),
        ({"censored": "hidden", "msg": "secret"},
         ["The message is hidden, because the task has no_log."]),
        ({}, ["The task gave no message."]),
        ({"msg": {"a": 1}}, ["{'a': 1}"]),
        ({"msg": "failed", "rc": 3, "cmd": ["ls", "x"], "stderr": "\n".join("abcdefghijkl")},
         ["failed", "command: ls x", "exit code: 3", *"cdefghijkl"]),
    ],
)  # fmt: skip
def test_message_of_a_failure_is_read_line_by_line(result, lines):
    assert message(result) == lines


@pytest.mark.parametrize("hosts", [1, 2, 5, 7, 8, 50])
@pytest.mark.parametrize("size", [1, 3, 100])
def test_all_causes_fit_in_the_tail(hosts, size):
    failures = Failures()
    for number in range(hosts):
        lines = [f"cause {number} {'x' * 3000}"] * size
        failures.add("Start", f"h{number}", lines)

    tail = failures.tail()

    assert len(tail) <= TAIL_LINES
    assert max(map(len, tail)) <= 201
    shown = [line for line in tail if line.startswith("  cause")]
    assert {line.split()[1] for line in shown} >= {str(n) for n in range(min(hosts, 7))}
    if hosts > 7:
        assert tail[-1] == f"and {hosts - 7} more failures, in the log"


def test_equal_messages_of_a_task_are_one_failure():
    failures = Failures()
    for host in ("h2", "h10", "h1"):
        failures.add("Start", host, ["no disk"])
    failures.add("Start", "h3", ["no memory"])

    assert failures.take() == [
        "h1, h10, h2 failed: Start", "  no disk", "h3 failed: Start", "  no memory",
    ]  # fmt: skip
    assert failures.take() == []


def test_a_rescue_that_repeats_its_cause_prints_it_once():
    failures = Failures()
    failures.rescued("Write files: kafka1", "h1", ["no disk"])
    failures.rescued("Write files: kafka2", "h2", ["no disk"])

    assert failures.with_rescued("h1", ["not written: no disk"]) == ["not written: no disk"]
    assert failures.with_rescued("h2", ["not restored"]) == [
        "not restored", "This handled a failure of Write files: kafka2: no disk",
    ]  # fmt: skip
    assert failures.with_rescued("h3", ["not restored"]) == ["not restored"]


def printed() -> tuple[Output, list[str]]:
    """Output of a run in its first task, and its lines."""
    lines: list[str] = []
    output = Output(lambda text, *_, **__: lines.append(text), Colours("", "", "", False))
    output.play("Start the brokers")
    output.task("metal.kafka.service : Wait")
    return output, lines


def test_a_repeated_message_of_a_loop_has_its_host_once():
    output, lines = printed()
    for host in ("h1", "h2"):
        output.started(host)
    output.message("h1", ["same note"])
    output.message("h1", ["same note"])
    output.flush()
    assert lines == ["h1: same note"]

    for host in ("h1", "h1", "h2"):
        output.message(host, ["note of all"])
    output.flush()
    assert lines[1:] == ["note of all"]


def test_a_wait_of_a_host_ends_with_the_task_on_this_host():
    output, _ = printed()
    for host in ("h1", "h2"):
        output.started(host)
    output.wait("h1: attempt 3 of 60", "h1")
    output.ended("h2")
    assert "h1: attempt 3 of 60" in output.state().text
    output.ended("h1")
    assert "attempt" not in output.state().text


def test_a_rescued_loop_has_the_messages_of_its_items():
    output, lines = printed()
    output.failures.item_failed("h1", {"item": "b", "msg": "no disk"})
    output.failures.failed_in_block("Start", "h1", {"msg": "One or more items failed"})
    output.task("Restore")
    output.failures.failed("Restore", "h1", {"msg": "not restored"}, rescue=True)
    output.flush()

    assert "This handled a failure of Start: b: no disk" in lines[-1]


def test_a_failure_that_its_rescue_section_did_not_handle_is_printed():
    output, lines = printed()
    output.failures.failed_in_block("Start", "h1", {"msg": "no file wait.yml"})
    output.failures.failed_in_block("Start", "h2", {"msg": "no file wait.yml"})
    # The section ran on h2, and a later task failed there without a message.
    output.failures.handled("h2")
    output.failures.add_unhandled()
    output.end(["h1", "h2"], [])

    assert lines[-2].splitlines() == ["h1 failed: Start", "  no file wait.yml"]


@pytest.mark.parametrize(
    ("playbooks", "verb"),
    [
        (["playbooks/up.yml"], "up"),
        (["metal.kafka.disk_add"], "disk_add"),
        (["playbooks/internal_begin.yml", "playbooks/host.yml", "playbooks/images.yml"],
         "images"),
        (["playbooks/preflight.yml", "playbooks/internal_statements.yml"], "preflight"),
        (["internal_begin.yaml"], "internal_begin"),
    ],
)  # fmt: skip
def test_log_is_named_after_the_verb(playbooks, verb):
    assert verb_of(playbooks) == verb


def test_the_log_of_a_run_has_no_control_characters(tmp_path):
    log = RunLog()
    log.open(tmp_path / "up.log")
    log.write("\x1b[0;32mok: [h1]\x1b[0m\r\n\tname \x1b[2J\x9b2J\u202e é\n")
    assert (tmp_path / "up.log").read_text() == "ok: [h1]\n\tname \\x1b[2J\\x9b2J\\u202e é\n"


def test_clock_has_hours_only_if_needed():
    assert [clock(each) for each in (0, 59.9, 61, 3600, 36_061)] == [
        "0:00", "0:59", "1:01", "1:00:00", "10:01:01",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("machines", "text"),
    [
        ({"m1": "m1"}, "1 host"),
        ({"m1": "m1", "m2": "m2"}, "2 hosts"),
        ({f"kafka{n}": "localhost" for n in range(14)}, "14 instances on 1 machine"),
        ({"kafka1": "m1", "m1": "m1", "kafka2": "m2"}, "2 instances on 2 machines"),
        ({"kafka1": "m1", "m2": "m2"}, "1 instance on 1 machine and 1 other machine"),
    ],
)
def test_hosts_are_counted_as_machines_or_instances(machines, text):
    assert host_count(machines) == text
