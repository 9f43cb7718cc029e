"""Faults of containers for the status report: killed for lack of memory, or restarting."""

import json
import struct

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._containers import (
    container_faults,
    container_log,
)
from ansible_collections.metal.kafka.plugins.module_utils._host import container_list, engine_api

NOW = 1_767_225_600.0  # 2026-01-01 00:00 UTC
JUST_NOW = "2025-12-31T23:59:00.123456789Z"
BEFORE = "2025-12-31T23:57:59Z"
LAST_WEEK = "2025-12-24T00:00:00Z"
NEVER = "0001-01-01T00:00:00Z"


def container(restarts=0, memory=640 * 2**20, **state):
    running = {
        "Running": True,
        "FinishedAt": NEVER,
        "StartedAt": JUST_NOW,
        "ExitCode": 0,
        "OOMKilled": False,
    }
    return {
        "Name": "/a-kafka2",
        "Config": {"Labels": {"kafka-metal.instance": "kafka2"}},
        "HostConfig": {"Memory": memory},
        "RestartCount": restarts,
        "State": {**running, **state},
    }


@pytest.mark.parametrize(
    ("found", "message"),
    [
        # A restart loop in Docker 20.10: OOMKilled stays set, the last exit code is lost.
        (
            container(restarts=4, OOMKilled=True, FinishedAt=JUST_NOW),
            "kafka2 was killed: it needed more than its limit of 640 MiB of memory, restarted 4 "
            "times by the engine, last at 2025-12-31 23:59 UTC",
        ),
        (
            container(memory=0, OOMKilled=True, FinishedAt=JUST_NOW),
            "kafka2 was killed: it needed more than the memory of its machine, last at 2025-12-31 "
            "23:59 UTC",
        ),
        (
            container(restarts=7, Restarting=True, ExitCode=1, FinishedAt=JUST_NOW),
            "kafka2 does not stay up, restarted 7 times by the engine, last at 2025-12-31 23:59 "
            "UTC, exit code 1",
        ),
        (
            container(restarts=2, FinishedAt=JUST_NOW),
            "kafka2 does not stay up, restarted 2 times by the engine, last at 2025-12-31 23:59 "
            "UTC",
        ),
        (
            container(Running=False, Error="no such device", ExitCode=128),
            "kafka2 does not start: no such device",
        ),
        (container(), ""),
        # It has run for two minutes since.
        (container(restarts=9, FinishedAt=JUST_NOW, StartedAt=BEFORE), ""),
        # It has recovered since.
        (container(restarts=4, OOMKilled=True, FinishedAt=LAST_WEEK), ""),
        (
            container(Paused=True),
            "kafka2 is paused: it responds to no request",
        ),
        # One restart after a crash.
        (container(restarts=1, FinishedAt=JUST_NOW), ""),
        # Stopped by an operator, or ended by itself.
        (
            container(Running=False, ExitCode=143, FinishedAt=JUST_NOW),
            "kafka2 is stopped, exit code 143",
        ),
        (
            container(Running=False, FinishedAt=JUST_NOW),
            "kafka2 is stopped",
        ),
    ],
)
def test_fault_is_one_message(found, message):
    problem = container_faults.container_fault(found, NOW)
    assert (problem.text if problem else "") == message
    assert problem is None or problem.where == "kafka2"


@pytest.fixture
def engine(monkeypatch):
    """Function that sets the containers, events and log of an engine; None is a 404."""

    def answer(containers, events=b"", log=b""):
        responses = {
            "/events": events,
            "/containers/json": json.dumps([{"Id": str(number)} for number in containers]).encode(),
            **{
                f"/containers/{number}/json": each
                and json.dumps({"Id": str(number), **each}).encode()
                for number, each in containers.items()
            },
            **{f"/containers/{number}/logs": log for number in containers},
        }

        def get(socket, request, timeout=5):
            return next(found for path, found in responses.items() if request.startswith(path))

        monkeypatch.setattr(engine_api, "get", get)
        inspected = container_list.inspect_cluster_containers("socket", "a")
        found = container_faults.faults(inspected, "socket", "a", "node1", NOW)
        return [each.problem for each in found]

    return answer


def test_a_container_that_the_engine_does_not_inspect_in_time_is_an_error(monkeypatch):
    def get(socket, request):
        if "json?" in request:
            return b'[{"Id": "1"}]'
        raise engine_api.NoResponseError(socket, TimeoutError("timed out"))

    monkeypatch.setattr(engine_api, "get", get)
    with pytest.raises(engine_api.EngineError, match="timed out"):
        container_list.inspect_cluster_containers("socket", "a")


def test_a_container_that_runs_again_after_a_kill_is_a_note():
    again = container(restarts=1, OOMKilled=True, FinishedAt=JUST_NOW, StartedAt=BEFORE)
    problem = container_faults.container_fault(again, NOW)
    assert (problem.kind, problem.level) == ("ContainerKilled", "note")


@pytest.mark.parametrize(("seconds", "level"), [(59, "page"), (61, "note")])
def test_a_restarted_container_that_stays_healthy_for_a_minute_is_a_note(seconds, level):
    healthy = {"Health": {"Status": "healthy"}}
    again = container(restarts=7, ExitCode=1, FinishedAt=JUST_NOW, **healthy)
    problem = container_faults.container_fault(again, NOW - 60 + seconds)
    assert problem.level == level
    assert "restarted 7 times by the engine" in problem.text


def test_out_of_memory_event_counts_without_the_state(engine):
    events = b'{"status":"oom","id":"1"}\n{"status":"oom","id":"9"}\n'
    (problem,) = engine({1: container(restarts=2, FinishedAt=JUST_NOW)}, events)
    assert problem.kind == "ContainerKilled"
    assert problem.text.startswith("kafka2 was killed: it needed more than its limit of 640 MiB")


def test_only_existing_containers_of_the_cluster_are_inspected(engine):
    (problem,) = engine({1: container(restarts=2, FinishedAt=JUST_NOW), 2: None})
    assert problem.text.startswith("kafka2 does not stay up")


def test_a_container_in_a_crash_loop_has_the_last_error_of_its_log(engine):
    lines = [
        b"[10:00] INFO starting",
        b"[10:01] ERROR Failed to load the keystore: broker.pem is empty",
        b"\tat kafka.Kafka.main(Kafka.scala)",
        b"[10:01] INFO shutting down",
    ]
    log = b"".join(
        b"\x01\0\0\0" + struct.pack(">I", len(each) + 1) + each + b"\n" for each in lines
    )
    (problem,) = engine({1: container(restarts=5, FinishedAt=JUST_NOW)}, log=log)
    assert problem.kind == "ContainerRestarting"
    assert problem.text.endswith(": [10:01] ERROR Failed to load the keystore: broker.pem is empty")
    assert problem.command == "make logs S=kafka2"


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ([], ""),
        (["one", "two"], ""),
        (["IOException: gone", "\tat x", "Caused by: java.Error: y"], "Caused by: java.Error: y"),
        (["\x1b[31mERROR\x1b[0m red\x07"], "ERROR red\\x07"),
        (["ERROR " + "x" * 500], "ERROR " + "x" * 191 + "..."),
        (["ERROR bad value password=hunter22"], "ERROR bad value password=<removed>"),
    ],
)  # fmt: skip
def test_the_last_error_is_one_printable_line(lines, line):
    assert container_log.error_line(lines) == line


def test_all_stopped_containers_of_a_machine_are_one_problem(engine):
    stopped = container(Running=False, ExitCode=143, FinishedAt=JUST_NOW)
    (problem,) = engine({1: stopped, 2: stopped, 3: stopped})
    assert problem.text == "all 3 containers on node1 are stopped"
    assert (problem.where, problem.command) == ("node1", "make up")
    assert len(engine({1: stopped, 2: stopped, 3: container()})) == 2
