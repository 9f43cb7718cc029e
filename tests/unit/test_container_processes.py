"""Running containers are found by their processes, without their engine."""

import json

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host import container_processes

ONE, TWO, OUTER = "a" * 64, "b" * 64, "c" * 64
LABELS = {"kafka-metal.cluster": "local", "kafka-metal.service": "kafka_broker"}


class Proc:
    """A /proc of a machine with its engine's data at ``root``, on a separate file system."""

    def __init__(self, folder):
        self.folder, self.root = folder / "proc", folder / "docker"
        self.root.mkdir()
        self.process("self", f"8:1 / / ext4\n8:17 /engine {self.root} ext4")

    def process(self, pid, *lines):
        home = self.folder / str(pid)
        home.mkdir(parents=True)
        text = "\n".join(lines)
        (home / "mountinfo").write_text(
            "".join(
                f"1 2 {number} {root} {point} rw - {kind} /dev/sda rw\n"
                for number, root, point, kind in map(str.split, text.splitlines())
            )
        )

    def container(self, pid, identity, device="8:17", at="/engine"):
        bound = f"{device} {at}/containers/{identity}/hostname /etc/hostname ext4"
        self.process(pid, "0:50 / / overlay", bound)

    def describe(self, identity, text):
        (self.root / "containers" / identity).mkdir(parents=True)
        (self.root / "containers" / identity / "config.v2.json").write_text(text)

    def found(self):
        return container_processes.find_containers(str(self.folder))


@pytest.fixture
def proc(tmp_path):
    return Proc(tmp_path)


def test_name_and_labels_come_from_the_engine_s_file(proc):
    proc.process(1, "8:1 / / ext4")
    proc.container(7, ONE)
    proc.container(8, ONE)
    proc.describe(ONE, json.dumps({"Name": "/local-kafka1", "Config": {"Labels": LABELS}}))
    expected = {"Id": ONE, "Names": ["/local-kafka1"], "Labels": LABELS, "State": "running"}
    assert proc.found() == [expected]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"Config": {}}'])
def test_unreadable_description_gives_no_name_and_labels(proc, text):
    proc.container(7, ONE)
    proc.describe(ONE, text)
    assert proc.found() == [{"Id": ONE, "Names": [], "Labels": {}, "State": "running"}]


def test_unmounted_file_system_gives_no_name(proc):
    proc.container(7, TWO, device="8:99")
    assert [each["Names"] for each in proc.found()] == [[]]


def test_machine_in_a_container_does_not_list_itself(tmp_path):
    made = Proc.__new__(Proc)
    made.folder, made.root = tmp_path / "proc", tmp_path / "docker"
    bound = f"8:1 /outer/containers/{OUTER}/hostname /etc/hostname ext4"
    made.process("self", "0:50 / / overlay", bound)
    made.process(1, "0:50 / / overlay", bound)
    assert made.found() == []


def test_ended_process_is_skipped(proc):
    (proc.folder / "9").mkdir()
    assert proc.found() == []
