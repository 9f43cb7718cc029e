"""Faults of containers for the status report: killed for lack of memory, or restarting."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._containers import container_faults
from ansible_collections.metal.kafka.plugins.module_utils._host import container_list, engine_api

NOW = 1_767_225_600.0  # 2026-01-01 00:00 UTC
JUST_NOW = "2025-12-31T23:59:00.123456789Z"
LAST_WEEK = "2025-12-24T00:00:00Z"
NEVER = "0001-01-01T00:00:00Z"


def container(restarts=0, memory=640 * 2**20, **state):
    running = {"Running": True, "FinishedAt": NEVER, "ExitCode": 0, "OOMKilled": False}
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
            "UTC, exit code 1: make logs S=kafka2",
        ),
        (
            container(restarts=2, FinishedAt=JUST_NOW),
            "kafka2 does not stay up, restarted 2 times by the engine, last at 2025-12-31 23:59 "
            "UTC: make logs S=kafka2",
        ),
        (
            container(Running=False, Error="no such device", ExitCode=128),
            "kafka2 does not start: no such device",
        ),
        (container(), ""),
        # It has recovered since.
        (container(restarts=4, OOMKilled=True, FinishedAt=LAST_WEEK), ""),
        # One restart after a crash; stopped by an operator.
        (container(restarts=1, FinishedAt=JUST_NOW), ""),
        (container(Running=False, ExitCode=143, FinishedAt=JUST_NOW), ""),
    ],
)
def test_fault_is_one_message(found, message):
    assert container_faults.container_fault(found, NOW) == message


def test_out_of_memory_event_counts_without_the_state(monkeypatch):
    state = container(restarts=2, FinishedAt=JUST_NOW)
    monkeypatch.setattr(
        container_list, "list_cluster_containers", lambda socket, cluster: [{"Id": "1"}]
    )
    monkeypatch.setattr(engine_api, "get_json", lambda socket, request: state)
    events = b'{"status":"oom","id":"1"}\n{"status":"oom","id":"9"}\n'
    monkeypatch.setattr(engine_api, "get", lambda socket, request: events)
    (message,) = container_faults.faults("socket", "a", NOW)
    assert message.startswith("kafka2 was killed: it needed more than its limit of 640 MiB")


def test_only_existing_containers_of_the_cluster_are_inspected(monkeypatch):
    responses = {"/containers/1/json": container(restarts=2, FinishedAt=JUST_NOW)}
    monkeypatch.setattr(
        container_list,
        "list_cluster_containers",
        lambda socket, cluster: [{"Id": "1"}, {"Id": "2"}],
    )
    monkeypatch.setattr(engine_api, "get_json", lambda socket, request: responses.get(request))
    monkeypatch.setattr(engine_api, "get", lambda socket, request: None)
    (message,) = container_faults.faults("socket", "a", NOW)
    assert message.startswith("kafka2 does not stay up")
