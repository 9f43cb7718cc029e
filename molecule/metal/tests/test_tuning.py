"""Kernel and disk settings of a node are live, persisted, and checked by verify.

All nodes share the vm.* keys of one kernel, so tests change a live key of the network namespace.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import testinfra
from testing.cluster import Cluster

ROOT = Path(__file__).resolve().parents[3]
SYSCTL = "/etc/sysctl.d/90-kafka-metal.conf"
# A key of the network namespace: each node has its own value.
OWN = "net.ipv4.tcp_slow_start_after_idle"

Connect = Callable[[str], testinfra.host.Host]
Play = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def play(inventory: str) -> Play:
    """Run a playbook on the nodes."""

    def run(playbook: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [Path(sys.executable).parent / "ansible-playbook", "--inventory", inventory]
        command += [ROOT / "playbooks" / playbook, *arguments]
        environment = {**os.environ, "ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.default"}
        return subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
            timeout=300,
        )  # fmt: skip

    return run


@pytest.fixture(scope="module")
def tuned(platform: Cluster, play: Play) -> Cluster:
    """Tune the nodes again: another scenario may have changed the shared kernel."""
    done = play("host.yml")
    assert done.returncode == 0, done.stdout
    return platform


def drift(done: subprocess.CompletedProcess[str]) -> list[tuple[str, str]]:
    """Return host and setting of every difference that verify reports."""
    return sorted(set(re.findall(r"\b(node\d): (\S+): wanted ", done.stdout)))


def test_settings_are_persisted_and_live_on_every_node(tuned: Cluster, connect: Connect):
    for name in tuned.topology.machines:
        node = connect(name)
        persisted = node.file(SYSCTL).content_string.splitlines()
        for key, value in {
            "vm.swappiness": 1,
            "vm.dirty_background_bytes": 600_000_000,
            "vm.dirty_bytes": 3_000_000_000,
            "vm.max_map_count": 262_144,
            OWN: 0,
        }.items():
            assert f"{key} = {value}" in persisted
            assert node.sysctl(key) == value
        thp = "/sys/kernel/mm/transparent_hugepage/enabled"
        assert "[madvise]" in node.file(thp).content_string
        assert (
            f"w {thp} - - - - madvise"
            in node.file("/etc/tmpfiles.d/kafka-metal.conf").content_string
        )


def test_every_data_disk_has_its_scheduler_and_readahead(tuned: Cluster, connect: Connect):
    for name in tuned.topology.machines:
        node = connect(name)
        rules = node.file("/etc/udev/rules.d/90-kafka-metal.rules").content_string
        for mount in ("/data/disk1", "/data/disk2"):
            device = node.check_output("findmnt --noheadings --output SOURCE %s", mount)
            # By device number: the mount may have been made with another name of the device.
            number = node.check_output("findmnt --noheadings --output MAJ:MIN %s", mount)
            queue = f"/sys/dev/block/{number.strip()}/queue"
            assert "[mq-deadline]" in node.file(f"{queue}/scheduler").content_string
            assert node.file(f"{queue}/read_ahead_kb").content_string.strip() == "1024"
            assert node.check_output("blkid -o value -s UUID %s", device) in rules


def test_verify_finds_no_drift_and_reports_a_setting_that_a_node_does_not_allow(
    tuned: Cluster, play: Play
):
    done = play("verify.yml")

    assert done.returncode == 0, done.stdout
    assert "verify: no drift" in done.stdout
    # The hard limit of the machine that runs the nodes is lower.
    row = r"limits\.nofile +100000 +100000:1048576 +\d+ +not allowed"
    assert len(re.findall(row, done.stdout)) == len(tuned.topology.machines)
    assert "Operation not permitted: the hard limit here is" in done.stdout
    brokers = r"nofile \S+-kafka\d +16384 +- +16384 +ok"
    assert len(re.findall(brokers, done.stdout)) == len(tuned.topology.brokers)


def test_a_value_changed_by_hand_is_reported_and_restored(
    tuned: Cluster, connect: Connect, play: Play
):
    connect("node2").check_output("sysctl --write %s=1", OWN)

    done = play("verify.yml")
    assert (done.returncode, drift(done)) == (2, [("node2", OWN)])

    assert play("host.yml").returncode == 0
    assert connect("node2").sysctl(OWN) == 0
    assert play("verify.yml").returncode == 0


def test_a_persisted_file_edited_by_hand_is_reported_and_restored(
    tuned: Cluster, connect: Connect, play: Play
):
    connect("node3").check_output("sed -i 's/^vm.swappiness = 1$/vm.swappiness = 60/' %s", SYSCTL)

    done = play("verify.yml")
    assert (done.returncode, drift(done)) == (2, [("node3", "vm.swappiness")])

    assert play("host.yml").returncode == 0
    assert "vm.swappiness = 1" in connect("node3").file(SYSCTL).content_string
    assert play("verify.yml").returncode == 0


def test_another_file_that_takes_precedence_at_boot_is_reported(
    tuned: Cluster, connect: Connect, play: Play
):
    rival = "/etc/sysctl.d/99-rival.conf"
    connect("node1").check_output("echo vm.swappiness=10 > %s", rival)
    try:
        done = play("verify.yml")
    finally:
        connect("node1").check_output("rm %s", rival)

    assert (done.returncode, drift(done)) == (2, [("node1", "vm.swappiness")])
    assert f"{rival} is read later and sets vm.swappiness = 10" in done.stdout


def test_a_second_run_changes_nothing(tuned: Cluster, play: Play):
    done = play("host.yml")

    assert done.returncode == 0, done.stdout
    assert re.findall(r"changed=(\d+)", done.stdout.split("PLAY RECAP")[1])[:3] == ["0", "0", "0"]


def test_settings_are_applied_after_a_reboot_of_a_node(
    tuned: Cluster, cluster: Cluster, connect: Connect, play: Play
):
    container = connect("node1").ansible.get_variables()["ansible_host"]
    # The node gets a new network namespace with the kernel's defaults.
    connect("localhost").check_output("docker restart --time 60 %s", container)
    cluster.wait_until_whole()

    done = play("verify.yml")
    assert done.returncode == 0, done.stdout
    assert connect("node1").sysctl(OWN) == 0
