"""Data disks of a machine as its kernel has them, and faults of disks."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import testinfra

from testing import access, playbooks
from testing.cluster import Cluster
from testing.waiting import NotYet

SPARE = "/dev/sdd"
# A log dir that fails moves its leaders through the metadata, without any session to expire.
LEADER_SECONDS = 15


class Disk:
    """The disk that is mounted at ``mount``."""

    def __init__(self, machine: testinfra.host.Host, mount: str) -> None:
        self._machine = machine
        self.mount = mount

    @property
    def device(self) -> str:
        """Device as the machine names it, /dev/sdb; empty while nothing is mounted."""
        found = self._machine.run("findmnt --noheadings --output MAJ:MIN %s", self.mount)
        for name in ("sdb", "sdc", "sdd"):
            numbers = self._machine.check_output("lsblk --nodeps -no MAJ:MIN /dev/%s", name)
            if found.stdout.strip() and found.stdout.split()[-1] == numbers.strip():
                return f"/dev/{name}"
        return ""

    def is_tuned(self) -> bool:
        """Whether it has the scheduler of a data disk, and a rule that gives it one at boot."""
        ask = "findmnt --noheadings --output MAJ:MIN,UUID %s"
        number, uuid = self._machine.check_output(ask, self.mount).split()
        live = self._machine.file(f"/sys/dev/block/{number}/queue/scheduler").content_string
        rules = self._machine.file("/etc/udev/rules.d/90-kafka-metal.rules").content_string
        return "[mq-deadline]" in live and uuid in rules

    def fail(self) -> None:
        """From now on every access is an I/O error, as with a disk that has died."""
        self._machine.check_output("xfs_io -x -c 'shutdown -f' %s", self.mount)

    @contextmanager
    def hung(self, seconds: int) -> Iterator[float]:
        """No access is answered for so many seconds, as with a disk whose controller hangs.

        The thaw is started first and independent of this process: a machine would stay frozen.
        Gives the moment of the thaw on the monotonic clock.
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
            # It is thawed by now; a second thaw is an error without effect.
            self._machine.run("fsfreeze --unfreeze %s", self.mount)


def log_dirs(cluster: Cluster, broker: int) -> dict[str, set[str]]:
    """Names of the replicas in each log dir of a broker, those under way too."""
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
    """Log dirs that a broker has given up; NotYet while there is none."""
    found = {path for path, error in cluster.brokers.log_dirs()[broker].items() if error}
    if not found:
        raise NotYet(f"broker {broker} has no offline log dir")
    return found


def mount_of(log_dir: str) -> str:
    """Mount point of the disk of a log dir, by the convention of the scenarios."""
    return log_dir.rpartition("/")[0]


def blank(machine: testinfra.host.Host, device: str = SPARE) -> None:
    """Leave nothing on a device that nobody uses."""
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
        """Run the verb as an operator would."""
        named = {"disk_host": self.node, "disk_name": self.name, **extra}
        return playbooks.run("disk_replace", extra=named, check=check)
