"""A container that is as it was left is not compared again; any other is."""

import json

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._containers import container_baseline
from ansible_collections.metal.kafka.plugins.module_utils._host import engine_api

NAME, DECLARED = "local-kafka1", "0123456789abcdef"


def inspected(**changed):
    return {
        "Config": {"Env": ["A=1"], "Labels": {"kafka-metal.hash": "x"}},
        "HostConfig": {"Memory": 1024, "CapDrop": ["ALL"]},
        "Image": "sha256:1",
        "State": {"Running": True, "Paused": False, "Restarting": False, "StartedAt": "then"},
        **changed,
    }


@pytest.fixture
def engine(monkeypatch, tmp_path):
    """An engine with one container, which was left as it is."""

    class Engine:
        kept = str(tmp_path / "notes" / NAME)

        def has(self, container):
            answers = {f"/containers/{NAME}/json": container}
            # As over the socket: a value of its own for each answer.
            monkeypatch.setattr(
                engine_api, "ask", lambda _, question: json.loads(json.dumps(answers.get(question)))
            )

        def look(self, declared=DECLARED):
            return container_baseline.compare("socket", NAME, declared, self.kept)

        def keep(self):
            container_baseline.save("socket", NAME, DECLARED, self.kept)

    found = Engine()
    found.has(inspected())
    found.keep()
    return found


def test_a_container_that_nobody_touched_is_as_it_was_left(engine):
    assert engine.look() == {"State": {"Running": True}, "unchanged": True, "altered": []}


def test_a_restart_is_no_change(engine):
    engine.has(inspected(State={"Running": True, "StartedAt": "now"}))
    assert engine.look()["unchanged"]


def test_a_pause_is_no_change_of_ours_to_undo(engine):
    engine.has(inspected(State={"Running": True, "Paused": True}))
    assert engine.look()["unchanged"]


@pytest.mark.parametrize(
    "changed",
    [
        {"HostConfig": {"Memory": 2048, "CapDrop": ["ALL"]}},
        {"Config": {"Env": ["A=2"], "Labels": {"kafka-metal.hash": "x"}}},
        {"Image": "sha256:2"},
        {"State": {"Running": False}},
        {"State": {"Running": True, "Restarting": True}},
    ],
)
def test_whatever_changed_is_compared(engine, changed):
    engine.has(inspected(**changed))
    assert not engine.look()["unchanged"]


def test_another_declaration_is_compared(engine):
    assert not engine.look("fedcba9876543210")["unchanged"]


def test_without_a_note_it_is_compared(engine):
    engine.kept += "-other"
    assert engine.look() == {"State": {"Running": True}, "unchanged": False, "altered": []}


def test_no_container_and_no_engine_have_no_state(engine):
    engine.has(None)
    assert engine.look() == {"unchanged": False, "altered": []}
    engine.kept += "-other"
    engine.keep()
    assert not engine.look()["unchanged"]


def test_limits_set_by_hand_that_no_declaration_has_are_named_even_after_a_run(engine):
    engine.has(inspected(HostConfig={"Memory": 1024, "NanoCpus": 200_000_000, "CpuShares": 0}))
    engine.keep()
    found = engine.look()
    assert found["altered"] == ["NanoCpus"]
    assert not found["unchanged"]
