"""Data disks of a machine, and faults of disks."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import testinfra

from testing import access, playbooks
from testing.cluster import Cluster
from testing.waiting import NotYet

SPARE = "/dev/sdd"
# Seconds until all leaders of a failed log dir have moved; no session has to expire.
LEADER_SECONDS = 15


class Disk:
    """The disk mounted at ``mount``."""

    def __init__(self, machine: testinfra.host.Host, mount: str) -> None:
        self._machine = machine
        self.mount = mount

    @property
    def device(self) -> str:
        """Return the device, such as /dev/sdb; empty while nothing is mounted."""
        found = self._machine.run("findmnt --noheadings --output MAJ:MIN %s", self.mount)
        for name in ("sdb", "sdc", "sdd"):
            numbers = self._machine.check_output("lsblk --nodeps -no MAJ:MIN /dev/%s", name)
            if found.stdout.strip() and found.stdout.split()[-1] == numbers.strip():
                return f"/dev/{name}"
        return ""

    def is_tuned(self) -> bool:
        """Whether it has the scheduler of a data disk, now and in a udev rule for the next boot."""
        command = "findmnt --noheadings --output MAJ:MIN,UUID %s"
        number, uuid = self._machine.check_output(command, self.mount).split()
        live = self._machine.file(f"/sys/dev/block/{number}/queue/scheduler").content_string
        rules = self._machine.file("/etc/udev/rules.d/90-kafka-metal.rules").content_string
        return "[mq-deadline]" in live and uuid in rules

    def fail(self) -> None:
        """Let every access fail with an I/O error, as with a failed disk."""
        self._machine.check_output("xfs_io -x -c 'shutdown -f' %s", self.mount)

    @contextmanager
    def hung(self, seconds: int) -> Iterator[float]:
        """Block every access for ``seconds``, as with a disk whose controller hangs.

        The thaw is scheduled first, on the machine, so that it happens even if this process dies.
        Yields the time of the thaw on the monotonic clock.
        """
        self._machine.check_output(
            "systemd-run --collect --quiet sh -c %s",
            f"sleep {seconds}; fsfreeze --unfreeze {self.mount}",
        )
        end = time.monotonic() + seconds
        self._machine.check_output("fsfreeze --freeze %s", self.mount)
        try:
            yield end
        finally:
            time.sleep(max(0.0, end - time.monotonic()) + 1)
            # Normally thawed by now; a second thaw is an error without effect.
            self._machine.run("fsfreeze --unfreeze %s", self.mount)


def log_dirs(cluster: Cluster, broker: int) -> dict[str, set[str]]:
    """Return the replicas in each log dir of a broker, including those being moved there."""
    with access.admin(cluster.topology.bootstrap) as admin:
        (answer,) = admin.describe_log_dirs(None, [broker])
    return {
        found["log_dir"]: {
            f"{topic['name']}-{part['partition_index']}"
            for topic in found["topics"]
            for part in topic["partitions"]
        }
        for found in answer["log_dirs"]
    }


def offline(cluster: Cluster, broker: int) -> set[str]:
    """Return the offline log dirs of a broker; NotYet while there is none."""
    found = {path for path, error in cluster.brokers.log_dirs()[broker].items() if error}
    if not found:
        raise NotYet(f"broker {broker} has no offline log dir")
    return found


def mount_of(log_dir: str) -> str:
    """Return the mount point of a log dir's disk, by the convention of the scenarios."""
    return log_dir.rpartition("/")[0]


def blank(machine: testinfra.host.Host, device: str = SPARE) -> None:
    """Erase the signatures of an unused device."""
    machine.check_output("wipefs --all --force --quiet %s", device)


@dataclass
class Victim:
    """A disk of the broker that leads partition 0 of the drill's topic."""

    broker: int
    node: str
    name: str
    disk: Disk
    log_dir: str
    # Partitions of the drill's topic on it, by number.
    partitions: set[int]
    machine: testinfra.host.Host
    declared: str

    def replace(self, check: bool = True, **extra: str):
        """Run the playbook disk_replace as an operator does."""
        named = {"disk_host": self.node, "disk_name": self.name, **extra}
        return playbooks.run("disk_replace", extra=named, check=check)
