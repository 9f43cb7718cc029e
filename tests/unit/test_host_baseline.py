"""A machine that is as the last whole run left it is told from any other."""

import json
import os
from urllib.parse import unquote

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._containers import host_baseline
from ansible_collections.metal.kafka.plugins.module_utils._host import engine_api

CLUSTER = "local"


def container(**changed):
    return {
        "Id": "1",
        "Name": "/local-kafka1",
        "Config": {"Env": ["A=1"], "Labels": {"kafka-metal.service": "kafka_broker"}},
        "HostConfig": {"Memory": 1024},
        "Image": "sha256:1",
        "State": {"Running": True, "Restarting": False},
        "Mounts": [],
        **changed,
    }


class Machine:
    """Containers of an engine, and a configuration that one of them mounts."""

    def __init__(self, folder, monkeypatch):
        self.root = folder / "kafka-metal"
        self.kept = str(self.root / ".as-left" / "local@node1.json")
        self.config = self.root / "local-kafka1"
        self.config.mkdir(parents=True)
        (self.config / "server.properties").write_text("broker.id=1\n")
        self.data = folder / "disk1"
        self.data.mkdir()
        self.asked = []
        monkeypatch.setattr(engine_api, "ask", self.ask)
        self.has(container())

    def has(self, *containers):
        mounts = [{"Type": "bind", "Source": str(path)} for path in (self.config, self.data)]
        self.containers = [{**each, "Mounts": mounts} for each in containers]

    def ask(self, _, question):
        self.asked.append(question)
        if question.startswith("/containers/json"):
            return json.loads(json.dumps(self.containers))
        found = [each for each in self.containers if question == f"/containers/{each['Id']}/json"]
        return json.loads(json.dumps(found[0])) if found else None

    def keep(self, declared=("d1", "s1"), specs=None):
        return host_baseline.save("socket", CLUSTER, self.kept, list(declared), specs or {})

    def look(self):
        return host_baseline.compare("socket", CLUSTER, self.kept)


@pytest.fixture
def node(tmp_path, monkeypatch):
    found = Machine(tmp_path, monkeypatch)
    assert found.keep() == []
    return found


def test_a_machine_that_nobody_touched_does_not_differ(node):
    assert node.look() == {"declared": ["d1", "s1"], "differs": [], "still": {}}


def test_only_containers_of_the_cluster_are_asked_for_and_stopped_ones_too(node):
    question = unquote(node.asked[0])
    assert "all=1" in question
    assert '"kafka-metal.cluster=local"' in question


def test_a_restart_is_no_difference(node):
    node.has(container(Id="2", State={"Running": True, "StartedAt": "now"}))
    assert node.look()["differs"] == []


@pytest.mark.parametrize(
    ("containers", "sentence"),
    [
        ([], "container local-kafka1 is gone"),
        ([container(State={"Restarting": True})], "container local-kafka1 does not stay up"),
        ([container(Image="sha256:2")], "container local-kafka1 has changed"),
        ([container(HostConfig={"Memory": 1})], "container local-kafka1 has changed"),
        ([container(), container(Id="2", Name="/x")], "container x is new"),
    ],
)
def test_a_container_that_somebody_touched_is_named(node, containers, sentence):
    node.has(*containers)
    assert sentence in node.look()["differs"]


def test_a_container_that_was_stopped_and_is_as_it_was_left_is_known_as_such(node):
    node.has(container(State={"Running": False}))
    found = node.look()
    assert (found["differs"], found["still"]) == ([], {"local-kafka1": "kafka_broker"})


def test_a_stopped_container_that_somebody_made_anew_differs(node):
    node.has(container(State={"Running": False}, Image="sha256:2"))
    found = node.look()
    assert (len(found["differs"]), found["still"]) == (1, {})


def edited(node):
    (node.config / "server.properties").write_text("broker.id=2\n")


def opened(node):
    (node.config / "server.properties").chmod(0o666)


def deleted(node):
    (node.config / "server.properties").unlink()


def added(node):
    (node.config / "extra").write_text("")


def without_its_folder(node):
    node.data.rmdir()


@pytest.mark.parametrize("fault", [edited, opened, deleted, added, without_its_folder])
def test_a_file_that_somebody_touched_is_named(node, fault):
    fault(node)
    (sentence,) = node.look()["differs"]
    assert sentence.startswith("file ")


def test_a_disk_that_is_away_is_a_difference(node, monkeypatch):
    monkeypatch.setattr(
        host_baseline.mount_table, "by_point", lambda _: dict.fromkeys(["/", str(node.data)])
    )
    assert node.look()["differs"] == [f"file {node.data} has changed"]


def test_what_tuning_would_do_is_a_difference_unless_it_was_refused_before(node, monkeypatch):
    monkeypatch.setattr(host_baseline, "_steps", lambda _: ["vm.swappiness becomes 1, was 60"])
    assert node.look()["differs"] == ["vm.swappiness becomes 1, was 60"]
    node.keep()
    assert node.look()["differs"] == []


def test_tuning_is_asked_what_the_run_asked(node):
    spec = {"name": "vm.nothing_of_the_kind", "value": "1"}
    node.keep(specs={"settings": [spec], "data_paths": []})
    assert node.look()["differs"] == []


def test_without_a_note_nothing_is_declared(node):
    host_baseline.delete(node.kept)
    assert node.look() == {"declared": [], "differs": [], "still": {}}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": {}}'])
def test_a_broken_note_is_none(node, text):
    with open(node.kept, "w") as stream:
        stream.write(text)
    assert node.look()["declared"] == []


def test_a_machine_with_a_container_that_does_not_run_gets_no_note(node):
    node.has(container(State={"Running": False}))
    assert node.keep() == ["local-kafka1"]
    assert node.look()["declared"] == []


def test_notes_are_for_root_alone(node):
    assert os.stat(node.kept).st_mode & 0o077 == 0
