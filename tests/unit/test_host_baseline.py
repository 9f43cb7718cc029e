"""Differences of a machine from the baseline of the last complete run."""

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
    """A machine whose containers mount a configuration and a disk."""

    def __init__(self, folder, monkeypatch):
        self.root = folder / "kafka-metal"
        self.kept = str(self.root / ".as-left" / "local@node1.json")
        self.config = self.root / "local-kafka1"
        self.config.mkdir(parents=True)
        (self.config / "server.properties").write_text("broker.id=1\n")
        self.data = folder / "disk1"
        self.data.mkdir()
        self.requests = []
        monkeypatch.setattr(engine_api, "get_json", self.get_json)
        self.has(container())

    def has(self, *containers):
        mounts = [{"Type": "bind", "Source": str(path)} for path in (self.config, self.data)]
        self.containers = [{**each, "Mounts": mounts} for each in containers]

    def get_json(self, _, request):
        self.requests.append(request)
        if request.startswith("/containers/json"):
            return json.loads(json.dumps(self.containers))
        found = [each for each in self.containers if request == f"/containers/{each['Id']}/json"]
        return json.loads(json.dumps(found[0])) if found else None

    def save(self, declared=("d1", "s1"), specs=None):
        return host_baseline.save("socket", CLUSTER, self.kept, list(declared), specs or {})

    def compare(self):
        return host_baseline.compare("socket", CLUSTER, self.kept)


@pytest.fixture
def node(tmp_path, monkeypatch):
    found = Machine(tmp_path, monkeypatch)
    assert found.save() == []
    return found


def test_unchanged_machine_does_not_differ(node):
    assert node.compare() == {"declared": ["d1", "s1"], "differs": [], "stopped": {}}


def test_all_containers_of_the_cluster_are_listed(node):
    request = unquote(node.requests[0])
    assert "all=1" in request
    assert '"kafka-metal.cluster=local"' in request


def test_restart_is_no_difference(node):
    node.has(container(Id="2", State={"Running": True, "StartedAt": "now"}))
    assert node.compare()["differs"] == []


@pytest.mark.parametrize(
    ("containers", "message"),
    [
        ([], "container local-kafka1 is gone"),
        ([container(State={"Restarting": True})], "container local-kafka1 does not stay up"),
        ([container(Image="sha256:2")], "container local-kafka1 has changed"),
        ([container(HostConfig={"Memory": 1})], "container local-kafka1 has changed"),
        ([container(), container(Id="2", Name="/x")], "container x is new"),
    ],
)
def test_changed_container_is_reported(node, containers, message):
    node.has(*containers)
    assert message in node.compare()["differs"]


def test_stopped_unchanged_container_is_in_still(node):
    node.has(container(State={"Running": False}))
    found = node.compare()
    assert (found["differs"], found["stopped"]) == ([], {"local-kafka1": "kafka_broker"})


def test_recreated_stopped_container_differs(node):
    node.has(container(State={"Running": False}, Image="sha256:2"))
    found = node.compare()
    assert (len(found["differs"]), found["stopped"]) == (1, {})


def edited(node):
    (node.config / "server.properties").write_text("broker.id=2\n")


def opened(node):
    (node.config / "server.properties").chmod(0o666)


def deleted(node):
    (node.config / "server.properties").unlink()


def added(node):
    (node.config / "extra").write_text("")


def without_data_directory(node):
    node.data.rmdir()


@pytest.mark.parametrize("fault", [edited, opened, deleted, added, without_data_directory])
def test_changed_file_is_reported(node, fault):
    fault(node)
    (message,) = node.compare()["differs"]
    assert message.startswith("file ")


def test_unmounted_disk_is_a_difference(node, monkeypatch):
    points = dict.fromkeys(["/", str(node.data)])
    monkeypatch.setattr(host_baseline.mount_table, "mounts_by_point", lambda _: points)
    assert node.compare()["differs"] == [f"file {node.data} has changed"]


def test_pending_tuning_is_a_difference_unless_it_is_in_the_baseline(node, monkeypatch):
    monkeypatch.setattr(host_baseline, "_steps", lambda _: ["vm.swappiness becomes 1, was 60"])
    assert node.compare()["differs"] == ["vm.swappiness becomes 1, was 60"]
    node.save()
    assert node.compare()["differs"] == []


def test_tuning_uses_the_specs_of_the_baseline(node):
    spec = {"name": "vm.nothing_of_the_kind", "value": "1"}
    node.save(specs={"settings": [spec], "data_paths": []})
    assert node.compare()["differs"] == []


def test_without_baseline_nothing_is_declared(node):
    host_baseline.delete(node.kept)
    assert node.compare() == {"declared": [], "differs": [], "stopped": {}}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": {}}'])
def test_damaged_baseline_is_ignored(node, text):
    with open(node.kept, "w") as stream:
        stream.write(text)
    assert node.compare()["declared"] == []


def test_stopped_container_prevents_a_baseline(node):
    node.has(container(State={"Running": False}))
    assert node.save() == ["local-kafka1"]
    assert node.compare()["declared"] == []


def test_baselines_are_readable_only_by_root(node):
    assert os.stat(node.kept).st_mode & 0o077 == 0
