"""The status screen says why a container is away: killed for want of memory, or in a loop."""

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
    ("found", "sentence"),
    [
        # As Docker 20.10 tells a loop: OOMKilled stays, while the last exit code is forgotten.
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
        # It has run well since.
        (container(restarts=4, OOMKilled=True, FinishedAt=LAST_WEEK), ""),
        # One restart after a crash is over; stopped by a person.
        (container(restarts=1, FinishedAt=JUST_NOW), ""),
        (container(Running=False, ExitCode=143, FinishedAt=JUST_NOW), ""),
    ],
)
def test_what_is_wrong_with_a_container_is_one_sentence(found, sentence):
    assert container_faults.fault(found, NOW) == sentence


def test_the_engine_remembers_what_the_state_of_a_container_does_not_tell(monkeypatch):
    state = container(restarts=2, FinishedAt=JUST_NOW)
    monkeypatch.setattr(container_list, "members", lambda socket, cluster: [{"Id": "1"}])
    monkeypatch.setattr(engine_api, "ask", lambda socket, question: state)
    events = b'{"status":"oom","id":"1"}\n{"status":"oom","id":"9"}\n'
    monkeypatch.setattr(engine_api, "get", lambda socket, question: events)
    (sentence,) = container_faults.faults("socket", "a", NOW)
    assert sentence.startswith("kafka2 was killed: it needed more than its limit of 640 MiB")


def test_only_containers_of_the_cluster_are_asked_and_one_that_is_gone_is_none(monkeypatch):
    answers = {"/containers/1/json": container(restarts=2, FinishedAt=JUST_NOW)}
    monkeypatch.setattr(
        container_list, "members", lambda socket, cluster: [{"Id": "1"}, {"Id": "2"}]
    )
    monkeypatch.setattr(engine_api, "ask", lambda socket, question: answers.get(question))
    monkeypatch.setattr(engine_api, "get", lambda socket, question: None)
    (sentence,) = container_faults.faults("socket", "a", NOW)
    assert sentence.startswith("kafka2 does not stay up")
