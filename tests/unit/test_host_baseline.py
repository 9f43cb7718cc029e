"""Differences of a machine from the baseline of the last complete run."""

import json
import os
from urllib.parse import unquote

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._containers import (
    baseline_file,
    baseline_update,
    host_baseline,
)
from ansible_collections.metal.kafka.plugins.module_utils._containers.manual_changes import (
    manual_changes,
)
from ansible_collections.metal.kafka.plugins.module_utils._host import engine_api

CLUSTER = "local"
DECLARED = {"content": "c1", "rest": "r1"}


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

    def save(self, declared=DECLARED, specs=None):
        return host_baseline.save("socket", CLUSTER, self.kept, declared, specs or {})

    def update(self, *kinds, dry=False, others=None, **declared):
        return baseline_update.update(
            "socket", CLUSTER, self.kept, declared, kinds, others or {}, dry=dry
        )

    def compare(self):
        return host_baseline.compare("socket", CLUSTER, self.kept)


@pytest.fixture
def node(tmp_path, monkeypatch):
    found = Machine(tmp_path, monkeypatch)
    assert found.save() == []
    return found


def test_unchanged_machine_does_not_differ(node):
    unchanged = {"differs": [], "stopped": {}, "unhealthy": []}
    assert node.compare() == {"declared": DECLARED} | unchanged


@pytest.mark.parametrize(
    ("health", "unhealthy"),
    [
        ("healthy", []),
        ("none", []),
        ("starting", ["local-kafka1"]),
        ("unhealthy", ["local-kafka1"]),
    ],
)
def test_an_unhealthy_container_is_no_difference(node, health, unhealthy):
    node.has(container(State={"Running": True, "Health": {"Status": health}}))
    found = node.compare()
    assert (found["differs"], found["unhealthy"]) == ([], unhealthy)


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
    baseline_file.delete(node.kept)
    assert node.compare() == {"declared": {}, "differs": [], "stopped": {}}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": {}}'])
def test_damaged_baseline_is_ignored(node, text):
    with open(node.kept, "w") as stream:
        stream.write(text)
    assert node.compare()["declared"] == {}


def test_stopped_container_prevents_a_baseline(node):
    node.has(container(State={"Running": False}))
    assert node.save() == ["local-kafka1"]
    assert node.compare()["declared"] == {}


def test_baselines_are_readable_only_by_root(node):
    assert os.stat(node.kept).st_mode & 0o077 == 0


def changes(node):
    return [each.text for each in manual_changes(node.containers, CLUSTER, node.kept, "node1", {})]


def test_unchanged_configuration_is_no_problem(node):
    assert changes(node) == []
    (node.root / ".as-left/local@node1.json").unlink()
    edited(node)
    assert changes(node) == []


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (edited, "server.properties has changed"),
        (deleted, "server.properties is gone"),
        (added, "extra is new"),
    ],
)
def test_changed_configuration_is_a_problem_of_its_instance(node, fault, text):
    fault(node)
    assert changes(node) == [f"kafka1 on node1 differs from the last complete run: {text}"]


def test_the_configuration_of_another_container_is_no_change(node):
    demo = node.root / "local-demo"
    demo.mkdir()
    (demo / "client.conf").write_text("a=1")
    mount = {"Type": "bind", "Source": str(demo)}
    node.containers.append(container(Id="2", Name="/local-demo", Mounts=[mount]))
    assert changes(node) == []


def test_a_missing_container_is_one_problem(node):
    node.has()
    (problem,) = manual_changes(node.containers, CLUSTER, node.kept, "node1", {})
    assert (problem.kind, problem.where) == ("ContainerMissing", "kafka1")
    assert problem.text == "kafka1 has no container on node1"


def test_a_container_that_is_no_longer_declared_is_not_missing(node):
    node.has()
    declared = {"kafka_broker": []}
    assert manual_changes(node.containers, CLUSTER, node.kept, "node1", declared) == []


def test_a_container_that_is_no_longer_declared_has_no_change(node):
    """Also with a baseline of a release that did not store kinds of containers."""
    path = node.root / ".as-left/local@node1.json"
    kept = json.loads(path.read_text())
    path.write_text(json.dumps({key: kept[key] for key in kept if key != "origins"}))
    edited(node)
    declared = {"kafka_broker": []}
    assert manual_changes(node.containers, CLUSTER, node.kept, "node1", declared) == []


def test_data_directories_are_not_read(node, monkeypatch):
    read = []
    stat = os.stat
    monkeypatch.setattr(os, "stat", lambda path, **more: read.append(path) or stat(path, **more))
    changes(node)
    assert str(node.data) not in read
    assert str(node.config) in read


def test_an_update_replaces_only_the_given_digests(node):
    edited(node)

    assert node.update(content="c2") == DECLARED

    found = node.compare()
    assert found["declared"] == {"content": "c2", "rest": "r1"}
    assert found["differs"] != []


@pytest.mark.parametrize(
    ("others", "content"),
    [
        ({"rest": "r1"}, "c2"),
        ({"rest": "r2"}, "c1"),
        ({"rest": "r1", "store": "s1"}, "c1"),
    ],
)
def test_an_update_replaces_no_digests_if_other_parts_differ(node, others, content):
    assert node.update(content="c2", others=others) == DECLARED
    assert node.compare()["declared"] == {"content": content, "rest": "r1"}


def test_a_dry_update_only_reads(node):
    assert node.update(content="c2", dry=True) == DECLARED
    assert node.compare()["declared"] == DECLARED


@pytest.mark.parametrize("text", ["", '{"declared": ["d1", "s1"], "files": {}}'])
def test_without_a_baseline_of_this_release_nothing_is_updated(node, text):
    with open(node.kept, "w") as stream:
        stream.write(text)

    assert node.update("pipeline", content="c2") == {}
    with open(node.kept) as stream:
        assert stream.read() == text


class Drivers:
    """A broker, and drivers that share a directory with it; each has its own configuration."""

    def __init__(self, node):
        self.node = node
        self.shared = node.data.parent / "shared"
        self.shared.mkdir()

    def have(self, *names, image="sha256:1"):
        broker = container(Mounts=self.mounts(self.node.config, self.shared))
        self.node.containers = [broker, *(self.driver(name, image) for name in names)]

    def driver(self, name, image):
        config = self.node.root / f"local-pipeline-{name}"
        config.mkdir(exist_ok=True)
        (config / "pipeline.yml").write_text(image)
        labels = {"kafka-metal.service": "pipeline"}
        mounts = self.mounts(config, self.shared)
        changed = {"Id": name, "Name": f"/local-pipeline-{name}", "Config": {"Labels": labels}}
        return container(**changed, Image=image, Mounts=mounts)

    @staticmethod
    def mounts(*paths):
        return [{"Type": "bind", "Source": str(path)} for path in paths]


@pytest.fixture
def drivers(node):
    found = Drivers(node)
    found.have("a", "b")
    node.save()
    return found


def test_an_update_replaces_containers_and_files_of_a_kind(node, drivers):
    # One was removed, one changed, one is new.
    drivers.have("b", "c", image="sha256:2")
    assert node.compare()["differs"] != []

    node.update("pipeline", pipelines="p2")

    assert node.compare()["differs"] == []


def test_an_update_keeps_differences_of_other_kinds(node, drivers):
    drivers.have("a", "b", image="sha256:2")
    edited(node)
    drivers.shared.rmdir()

    node.update("pipeline", pipelines="p2")

    config, shared = f"{node.config}/server.properties", drivers.shared
    assert node.compare()["differs"] == [f"file {config} has changed", f"file {shared} has changed"]
