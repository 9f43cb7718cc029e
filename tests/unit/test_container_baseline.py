"""Containers that match their baseline are reported as unchanged."""

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
    """An engine with one container and its baseline."""

    class Engine:
        kept = str(tmp_path / "baselines" / NAME)

        def has(self, container):
            responses = {f"/containers/{NAME}/json": container}
            # A new object for each response, as over the socket.
            monkeypatch.setattr(
                engine_api,
                "get_json",
                lambda _, request: json.loads(json.dumps(responses.get(request))),
            )

        def compare(self, declared=DECLARED):
            return container_baseline.compare("socket", NAME, declared, self.kept)

        def save(self):
            container_baseline.save("socket", NAME, DECLARED, self.kept)

    found = Engine()
    found.has(inspected())
    found.save()
    return found


def test_unchanged_container_matches_its_baseline(engine):
    assert engine.compare() == {"State": {"Running": True}, "unchanged": True, "altered": []}


def test_restart_is_no_change(engine):
    engine.has(inspected(State={"Running": True, "StartedAt": "now"}))
    assert engine.compare()["unchanged"]


def test_pause_is_no_change(engine):
    engine.has(inspected(State={"Running": True, "Paused": True}))
    assert engine.compare()["unchanged"]


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
def test_changed_container_differs(engine, changed):
    engine.has(inspected(**changed))
    assert not engine.compare()["unchanged"]


def test_other_declaration_differs(engine):
    assert not engine.compare("fedcba9876543210")["unchanged"]


def test_container_without_baseline_differs(engine):
    engine.kept += "-other"
    assert engine.compare() == {"State": {"Running": True}, "unchanged": False, "altered": []}


def test_missing_container_or_engine_has_no_state(engine):
    engine.has(None)
    assert engine.compare() == {"unchanged": False, "altered": []}
    engine.kept += "-other"
    engine.save()
    assert not engine.compare()["unchanged"]


def test_manually_set_limits_are_reported_after_a_run_too(engine):
    engine.has(inspected(HostConfig={"Memory": 1024, "NanoCpus": 200_000_000, "CpuShares": 0}))
    engine.save()
    found = engine.compare()
    assert found["altered"] == ["NanoCpus"]
    assert not found["unchanged"]
