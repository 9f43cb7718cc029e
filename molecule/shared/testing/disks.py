"""Disks of a node, inspected and pulled out.

A node's disk is a loop device of the machine that runs the nodes. It is pulled out by setting its
offset beyond the end of its file: the device remains without content, like an empty slot.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import testinfra

from testing import playbooks

# LOOP_GET_STATUS64 and LOOP_SET_STATUS64; the offset is the fourth number of their structure.
_MOVE = """
import fcntl, struct, sys
device, offset = sys.argv[1], int(sys.argv[2])
with open(device, "rb") as stream:
    info = bytearray(232)
    fcntl.ioctl(stream, 0x4C05, info)
    struct.pack_into("=Q", info, 24, offset)
    fcntl.ioctl(stream, 0x4C04, bytes(info))
"""
BEHIND_THE_END = 1 << 40


class Node:
    """Operations on a node's hardware, from the machine that runs the node's container."""

    def __init__(self, container: str) -> None:
        self._carrier = testinfra.get_host("local://")
        self._sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
        self._container = container

    def _run(self, *words: str) -> str:
        return self._carrier.check_output(" ".join(["%s"] * len(words)), *words)

    def power_off(self) -> None:
        """Shut the node down in order."""
        self._run("docker", "stop", "--time", "90", self._container)

    def power_on(self) -> None:
        """Start the node; its init starts everything else."""
        self._run("docker", "start", self._container)

    def pull_out(self, loop: str) -> None:
        """Pull a disk out of its slot; it may not be mounted."""
        self._run(*self._sudo, "python3", "-c", _MOVE, loop, str(BEHIND_THE_END))

    def put_back(self, loop: str) -> None:
        """Put the disk back with its content."""
        self._run(*self._sudo, "python3", "-c", _MOVE, loop, "0")


def loop_of(machine: testinfra.host.Host, device: str) -> str:
    """Return the loop device of the carrier that is ``device`` in a node."""
    number = int(machine.check_output("stat --format %%T %s", device), 16)
    assert machine.check_output("stat --format %%t %s", device) == "7", (
        f"{device} is not a loop device"
    )
    return f"/dev/loop{number}"


def entries_below(machine: testinfra.host.Host, mount: str) -> list[str]:
    """Return the entries in a mount point on the system disk, below what is mounted there."""
    found = machine.check_output(
        "unshare --mount sh -c 'mkdir -p /run/below && mount --bind %s /run/below && "
        "find /run/below/%s -mindepth 1; umount /run/below'",
        os.path.dirname(mount),
        os.path.basename(mount),
    )
    return found.split()


def is_guarded(machine: testinfra.host.Host, mount: str) -> bool:
    """Whether the mount point itself, below what is mounted there, is immutable."""
    attributes = machine.check_output(
        "unshare --mount sh -c 'mkdir -p /run/below && mount --bind %s /run/below && "
        "lsattr -d /run/below/%s; umount /run/below'",
        os.path.dirname(mount),
        os.path.basename(mount),
    )
    return "i" in attributes.split()[0]


def fstab(machine: testinfra.host.Host) -> str:
    """Return the text of fstab."""
    return machine.check_output("cat /etc/fstab")


def first_bytes(machine: testinfra.host.Host, device: str) -> str:
    """Return a checksum of the first 64 MiB of a device."""
    return machine.check_output("head --bytes=64M %s | sha256sum", device)


def run_data_disks(machine: str, check: bool = False, **arguments: Any) -> dict[str, Any]:
    """Run the module data_disks on a machine; return its result, also if it fails."""
    inventories = [f"--inventory={path}" for path in playbooks.inventory.split(",")]
    words = ["--module-name=metal.kafka.data_disks", f"--args={json.dumps(arguments)}"]
    done = subprocess.run(
        ["ansible", *inventories, machine, "--become", "--one-line", *words]
        + (["--check"] if check else []),
        cwd=playbooks.ROOT,
        env=playbooks.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    _, arrow, answer = done.stdout.partition("=> ")
    assert arrow, done.stdout + done.stderr
    return dict(json.loads(answer))


@contextmanager
def spare(machine: testinfra.host.Host, device: str, mount: str) -> Iterator[None]:
    """Keep an unused disk blank before and after the block, without traces of its mount."""
    _forget(machine, device, mount)
    try:
        yield
    finally:
        _forget(machine, device, mount)


def _forget(machine: testinfra.host.Host, device: str, mount: str) -> None:
    machine.run("umount %s", mount)
    machine.run("chattr -i %s", mount)
    machine.run("rm --recursive --force %s", mount)
    machine.check_output("sed --in-place '\\# %s #d' /etc/fstab", mount)
    machine.check_output("systemctl daemon-reload")
    machine.check_output("wipefs --all --quiet %s", device)
