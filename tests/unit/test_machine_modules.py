"""Modules that read or write a machine's state: results, failures, and check mode."""

import json

import pytest
from plays import execute_module

BASELINE = {"declared": {"content": "c1"}, "containers": {}, "origins": {}, "files": {}}


@pytest.fixture
def update(tmp_path):
    """Run machine_baseline without an engine, on an existing baseline."""
    path = tmp_path / "etc/.as-left/c@m1.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(BASELINE))

    def run(state, check=False, **arguments):
        given = {"cluster": "c", "baseline_file": str(path), "socket": str(tmp_path / "none")}
        return execute_module("machine_baseline", {**given, "state": state, **arguments}, check)

    run.path = path
    return run


@pytest.mark.parametrize("state", ["present", "updated", "absent", "begun", "ended"])
@pytest.mark.parametrize("kinds", [[], ["pipeline"]])
def test_check_mode_writes_no_baseline(update, state, kinds):
    found = update(state, check=True, declared={"content": "c2"}, kinds=kinds)

    assert found["changed"] is False
    assert found["declared"] == (BASELINE["declared"] if state == "updated" else {})
    assert [each.name for each in update.path.parent.iterdir()] == [update.path.name]
    assert json.loads(update.path.read_text()) == BASELINE


@pytest.mark.parametrize(
    ("others", "content"), [({}, "c2"), ({"content": "c1"}, "c2"), ({"rest": "r1"}, "c1")]
)
def test_digests_are_replaced_unless_others_differ(update, others, content):
    found = update("updated", declared={"content": "c2"}, others=others)

    assert found["declared"] == {"content": "c1"}
    assert json.loads(update.path.read_text()) == {**BASELINE, "declared": {"content": content}}


def test_a_deleted_baseline_is_absent(update):
    assert update("absent")["changed"] is False
    assert not update.path.exists()
    assert update("updated", declared={"content": "c2"})["declared"] == {}
    assert not update.path.exists()


@pytest.mark.parametrize("state", ["updated", "begun", "ended"])
def test_only_verbs_that_may_repair_the_disk_continue_without_a_baseline(update, state):
    for ending in (".new", ".before"):
        (update.path.parent / f"{update.path.name}{ending}").mkdir()
    found = update(state, declared={"content": "c2"})

    assert found.get("failed", False) is (state == "updated")
    message = f"machine_baseline: {update.path}: Is a directory"
    assert message in f"{found.get('msg')} {found.get('warnings')}"


def test_the_identity_of_a_cluster_is_read_without_an_engine(tmp_path):
    folder = tmp_path / "etc/c-kafka1"
    folder.mkdir(parents=True)
    (folder / "ca.pem").write_text("no certificate")
    data = tmp_path / "data"
    data.mkdir()
    (data / "meta.properties").touch()
    given = {
        "cluster": "c",
        "baseline_file": str(tmp_path / "etc/.as-left/c@m1.json"),
        "paths": [str(data), str(tmp_path / "none")],
        "socket": str(tmp_path / "socket"),
    }
    found = execute_module("cluster_identity", given)

    assert found["changed"] is False
    assert found["identity"]["configured"] == ["c-kafka1"]
    assert found["identity"]["data"] == [str(data)]
    assert len(found["identity"]["unreadable"]) == 1


def test_the_reason_is_returned_if_the_identity_cannot_be_read(tmp_path):
    given = {"cluster": "c", "baseline_file": f"{tmp_path}/etc/.as-left/c@m1.json"}
    found = execute_module(
        "cluster_identity", {**given, "socket": f"{tmp_path}/socket", "paths": ["/a\0b"]}
    )
    assert "embedded null" in found["unknown"]
    assert "identity" not in found
    assert "failed" not in found
