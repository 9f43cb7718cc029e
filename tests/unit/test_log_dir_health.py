"""States of log dirs, their remedies, and blockers of a broker's restart."""

import os
import subprocess

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host.disks import (
    log_dir_health as log_dirs,
)
from ansible_collections.metal.kafka.plugins.module_utils._host.disks.log_dir_health import (
    State,
    classify,
)

MIB = 1024**2
MOUNT, PATH = "/data/disk1", "/data/disk1/kafka"
DISKS = {MOUNT: "disk1"}
BROKEN = State(PATH, log_dirs.FAILED, f"{MOUNT} fails with Input/output error")
FULL = State(PATH, log_dirs.FULL, f"{MOUNT} is full: 3 MiB of 600 MiB are free")


def facts(free=500, size=1000, read_only=False):
    return {"size": size * MIB, "free": free * MIB, "read_only": read_only}


@pytest.mark.parametrize(
    ("result", "state", "reason"),
    [
        (facts(), "ok", ""),
        (facts(free=9), "full", f"{MOUNT} is full: 9 MiB of 1000 MiB are free"),
        (facts(free=11), "ok", ""),
        # On a large disk the limit is in bytes: a broker's start needs a fixed amount.
        (facts(free=255, size=4_000_000), "full", "255 MiB of 3.8 TiB"),
        (facts(free=257, size=4_000_000), "ok", ""),
        (facts(free=0, read_only=True), "read_only", "mounted read-only"),
        ({"error": "Input/output error"}, "failed", f"{MOUNT} fails with Input/output error"),
        ({"missing": True}, "missing", f"no disk is mounted at {MOUNT}"),
        (None, "unresponsive", "has not responded for 10 s"),
    ],
)
def test_probe_result_gives_state_and_reason(result, state, reason):
    found = classify(PATH, MOUNT, result)
    assert found.state == state
    assert reason in found.reason


@pytest.mark.parametrize(
    ("state", "text"),
    [
        ("full", "make disk-reserve HOST=node1 DISK=disk1, then make restart S=kafka"),
        ("read_only", "umount /data/disk1 && mount /data/disk1, then make restart S=kafka"),
        ("failed", "or make disk-replace HOST=node1 DISK=disk1"),
        ("missing", "mount /data/disk1, then make restart S=kafka"),
        ("unresponsive", "the runbook DiskHung"),
    ],
)
def test_each_state_has_a_remedy(state, text):
    assert text in log_dirs.next_step(State(PATH, state), MOUNT, "node1", "disk1")


def test_full_log_dir_blocks_a_restart():
    blockers = log_dirs.blockers([FULL], ["/data"], DISKS, "node1")
    assert len(blockers) == 1
    assert "make disk-reserve HOST=node1 DISK=disk1" in blockers[0]


def test_failed_disk_does_not_block_if_it_is_not_bound():
    assert log_dirs.blockers([BROKEN], ["/data"], DISKS, "node1") == []


@pytest.mark.parametrize("source", [MOUNT, PATH])
def test_failed_disk_blocks_if_the_container_binds_it(source):
    blockers = log_dirs.blockers([BROKEN], [source], DISKS, "node1")
    assert len(blockers) == 1
    assert "umount --lazy /data/disk1" in blockers[0]


def test_real_directories_are_probed(tmp_path):
    here, there = str(tmp_path / "kafka"), str(tmp_path / "unmounted")
    os.mkdir(there)
    found = {each.path: each for each in log_dirs.probe([here, f"{there}/kafka"], [there])}
    assert found[here].state == "ok"
    assert found[here].size > found[here].free > 0
    assert found[f"{there}/kafka"].state == "missing"


def test_hung_disk_does_not_block_the_module(monkeypatch):
    monkeypatch.setattr(log_dirs, "TIMEOUT_SECONDS", 0.1)
    with subprocess.Popen(["sleep", "5"], stdout=subprocess.PIPE, text=True) as process:
        assert log_dirs._result(process) is None


def test_container_of_the_last_good_declaration_counts_too():
    """The current container may bind the failed disk although the new declaration does not."""
    assert log_dirs.blockers([BROKEN], ["/data", MOUNT], DISKS, "node1") != []
