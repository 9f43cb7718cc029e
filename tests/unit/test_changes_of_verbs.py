"""What a verb changes is no manual change; what was changed before it remains one."""

import json

import pytest
from ansible_collections.metal.kafka.plugins.filter.unchanged import changes_since_last_run
from ansible_collections.metal.kafka.plugins.module_utils._containers import (
    configuration_changes,
    verb_changes,
)
from ansible_collections.metal.kafka.plugins.module_utils._containers.manual_changes import (
    manual_changes,
)
from ansible_collections.metal.kafka.plugins.module_utils._host import container_list, engine_api
from plays import BROKER, ENTRY_DEFAULTS, ansible_playbook, with_printing_roles

CLUSTER = "local"
# Instead of the module: adds its state to a list.
BASELINE_MODULE = """#!/usr/bin/python
from ansible.module_utils.basic import AnsibleModule
names = ("cluster", "baseline_file", "socket", "state")
module = AnsibleModule(dict.fromkeys(names, {"type": "str"}))
with open(module.params["baseline_file"] + ".states", "a") as stream:
    stream.write(module.params["state"] + "\\n")
module.exit_json(changed=False)
"""


class Machine:
    """A machine with brokers, each with a configuration file, and a baseline of all."""

    def __init__(self, folder):
        self.root = folder / "kafka-metal"
        self.path = str(self.root / ".as-left" / "local@node1.json")
        (self.root / ".as-left").mkdir(parents=True)
        self.images = {"kafka1": "sha256:1", "kafka2": "sha256:1"}
        for name in self.images:
            (self.root / f"local-{name}").mkdir()
            self.write(name, "declared")

    def file(self, name):
        return self.root / f"local-{name}" / "server.properties"

    def write(self, name, text):
        self.file(name).write_text(text)

    def inspected(self, *_):
        return [
            {
                "Name": f"/local-{name}",
                "Image": image,
                "State": {"Running": True, "Restarting": image == "broken"},
                "Mounts": [{"Type": "bind", "Source": str(self.root / f"local-{name}")}],
            }
            for name, image in self.images.items()
        ]

    def begin(self):
        verb_changes.begin("socket", CLUSTER, self.path)

    def end(self):
        verb_changes.end("socket", CLUSTER, self.path)

    def digests(self):
        with open(self.path) as stream:
            return json.load(stream)["declared"]

    def is_unchanged(self):
        """Whether a run with the declarations of the baseline compares nothing."""
        seen = {"declared": self.digests(), "differs": [], "stopped": {}}
        hostvars = {"node1": {"preflight_machine": {"facts": {"baseline": seen}}}}
        return not changes_since_last_run(["node1"], hostvars, {"rest": "r1"})["parts"]

    def changes(self):
        found = manual_changes(self.inspected(), CLUSTER, self.path, "node1", {})
        return [each.text for each in found]


@pytest.fixture
def node(tmp_path, monkeypatch):
    machine = Machine(tmp_path)
    monkeypatch.setattr(container_list, "inspect_cluster_containers", machine.inspected)
    now = configuration_changes.configuration(machine.inspected(), machine.path)
    with open(machine.path, "w") as stream:
        json.dump({"declared": {"rest": "r1"}, **now}, stream)
    assert machine.changes() == []
    return machine


def test_changes_of_a_verb_are_in_the_baseline(node):
    node.begin()
    node.write("kafka1", "rotated")
    node.images["kafka1"] = "sha256:2"
    (node.root / "local-kafka1/key.pem").write_text("new")
    del node.images["kafka2"]
    assert len(node.changes()) == 2
    node.end()

    assert node.changes() == []
    assert node.digests() == {}
    assert not node.is_unchanged()


def test_a_verb_that_changes_nothing_keeps_the_digests(node):
    node.begin()
    node.end()

    assert node.digests() == {"rest": "r1"}
    assert node.is_unchanged()


def test_a_baseline_of_an_earlier_release_gets_the_missing_keys(node):
    with open(node.path, "w") as stream:
        json.dump({"declared": {"rest": "r1"}, "containers": {}}, stream)
    node.begin()
    node.write("kafka1", "rotated")
    node.end()

    assert node.digests() == {}


def test_a_manual_change_before_the_verb_remains_one(node):
    node.write("kafka2", "by hand")
    node.begin()
    node.write("kafka1", "rotated")
    node.end()

    (text,) = node.changes()
    assert "kafka2 on node1 differs" in text


def test_a_manual_change_that_the_verb_replaces_is_none(node):
    node.write("kafka2", "by hand")
    node.begin()
    node.write("kafka2", "rotated")
    node.end()

    assert node.changes() == []


def test_changes_of_an_interrupted_verb_remain(node):
    node.begin()
    node.write("kafka1", "half")
    node.begin()
    node.end()

    assert len(node.changes()) == 1


def test_a_container_that_does_not_stay_up_keeps_its_fingerprint(node):
    node.begin()
    node.images["kafka1"] = "broken"
    node.end()
    node.images["kafka1"] = "sha256:1"

    assert node.changes() == []


def test_without_an_engine_the_baseline_is_kept(node, monkeypatch):
    node.begin()

    def fails(*_):
        raise engine_api.EngineError("socket: refused")

    monkeypatch.setattr(container_list, "inspect_cluster_containers", fails)
    node.end()
    node.begin()
    node.end()

    assert node.changes() == []


def test_without_a_baseline_nothing_is_written(tmp_path, monkeypatch):
    machine = Machine(tmp_path)
    monkeypatch.setattr(container_list, "inspect_cluster_containers", machine.inspected)
    machine.begin()
    machine.end()

    assert list((machine.root / ".as-left").iterdir()) == []


@pytest.mark.parametrize(
    ("fails", "states"), [("nothing", ["begun", "ended"]), ("kafka_broker/service", ["begun"])]
)
def test_a_verb_adds_its_changes_when_it_has_completed(tmp_path, fails, states):
    folder = with_printing_roles(tmp_path, modules={"machine_baseline": BASELINE_MODULE})
    (tmp_path / ".as-left").mkdir()
    given = {
        **ENTRY_DEFAULTS,
        **BROKER,
        "cluster_name": "unit",
        "service_config_root": str(tmp_path),
        "fails": fails,
    }
    groups = {name: {"node1": given} for name in ("metal", "kafka")}
    code, output = ansible_playbook(tmp_path, groups, f"{folder}/restart.yml")

    assert (code == 0) == (fails == "nothing"), output
    (found,) = (tmp_path / ".as-left").glob("*.states")
    assert found.read_text().split() == states
