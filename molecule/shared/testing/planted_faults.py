"""Faults of a cluster on several machines, with the alert and the problem that report each."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass

from testing import disk_faults, faults
from testing.cluster import Cluster
from testing.disk_faults import Disk
from testing.waiting import NotYet, wait_for

# A partition to which the probe writes.
PROBED = "kafka-metal-probe-0"
# Seconds until an alert fires: faults that stop clients for more than half a minute.
URGENT = 60
# Faults that stop clients for less time, or not yet: their alerts have a longer `for`.
DELAYED = 150

Injection = Callable[[Cluster], AbstractContextManager[None]]


@dataclass(frozen=True)
class Fault:
    """A fault, its alert, and the seconds within which the alert has to fire.

    ``kind`` and ``where`` are the problem on every screen; "" for an alert without a kind, or for
    any instance. ``page``: the alert pages a person, and ``paged_by`` is the alert that has paged
    before. ``screens`` are those that can show it: status, page, alert. ``over``: seconds until
    they are well again.
    """

    inject: Injection
    alert: str
    within: float
    page: bool = True
    kind: str = ""
    where: str = ""
    screens: tuple[str, ...] = ("status", "page", "alert")
    over: float = 90
    paged_by: str = ""

    def text_in(self, listed: Mapping[tuple[str, str], str]) -> str | None:
        """Return the text of this fault's problem in a list of problems; None without it."""
        for (kind, where), text in listed.items():
            if ("", self.alert) == (kind, where):
                return text
            if kind == (self.kind or self.alert) and self.where in ("", where):
                return text
        return None


def brokers_dead(*numbers: int) -> Injection:
    return lambda cluster: faults.dead(cluster, *(cluster.topology.brokers[n] for n in numbers))


def servers_dead(*numbers: int) -> Injection:
    return lambda cluster: faults.dead(cluster, *(cluster.topology.zookeepers[n] for n in numbers))


def on_broker(fault: Callable[..., AbstractContextManager[None]], number: int) -> Injection:
    return lambda cluster: fault(cluster, cluster.topology.brokers[number])


def between_brokers(first: int, second: int) -> Injection:
    return lambda cluster: faults.cut_between(
        cluster, cluster.topology.brokers[first], cluster.topology.brokers[second]
    )


def log_dir(number: int, how: str, *, while_stopped: bool = False) -> Injection:
    def inject(cluster: Cluster) -> AbstractContextManager[None]:
        broker = cluster.topology.brokers[number]
        return faults.remounted(
            cluster, broker, broker.log_dirs[1], how, while_stopped=while_stopped
        )

    return inject


@contextmanager
def hung_disk(cluster: Cluster) -> Iterator[None]:
    """Let a disk hang: the watchdog ends its broker, which returns after the disk does."""
    broker = cluster.brokers.leader_of(PROBED)
    found = disk_faults.log_dirs(cluster, broker)
    path = next(path for path, held in found.items() if PROBED in held)
    disk = Disk(cluster.machine(cluster.topology.brokers[broker]), disk_faults.mount_of(path))
    with disk.hung(DELAYED + 10):
        yield


@contextmanager
def only_replica_dead(cluster: Cluster) -> Iterator[None]:
    config = {"min.insync.replicas": "1"}
    with faults.topic(cluster, "drill-alone", [1], **config), brokers_dead(1)(cluster):
        yield


@contextmanager
def unclean_leader(cluster: Cluster) -> Iterator[None]:
    """Start a replica first that lacks records of the other one."""
    config = {"min.insync.replicas": "1", "unclean.leader.election.enable": "true"}
    with faults.topic(cluster, "drill-unclean", [1, 2], **config), ExitStack() as first:
        with ExitStack() as second:
            second.enter_context(brokers_dead(2)(cluster))
            wait_for("only broker 1 is in sync", lambda: alone(cluster, 1), seconds=60)
            first.enter_context(brokers_dead(1)(cluster))
        yield


def alone(cluster: Cluster, broker: int) -> None:
    (part,) = [p for p in cluster.brokers.partitions() if p.name == "drill-unclean-0"]
    if part.in_sync != (broker,):
        raise NotYet(f"in sync: {part.in_sync}")


def switched_off(cluster: Cluster) -> AbstractContextManager[None]:
    machine = cluster.topology.brokers[2].machine
    return faults.switched_off(f"km-{cluster.topology.cluster}-{machine}")


# The common problem of every screen: those without access to machines do not name containers.
FAULTS = {
    "a broker is dead": Fault(
        brokers_dead(1), "BrokerDown", DELAYED, kind="ServiceDown", where="kafka1"
    ),
    "two of three brokers are dead": Fault(
        brokers_dead(1, 2), "PartitionNotWritable", URGENT, kind="ServiceDown", where="kafka1"
    ),
    "two brokers are dead, by metrics of brokers": Fault(
        brokers_dead(1, 2), "PartitionsUnderMinIsr", DELAYED, kind="ServiceDown", where="kafka2"
    ),
    "the only replica of a partition is dead": Fault(
        only_replica_dead, "PartitionsOffline", DELAYED, kind="PartitionsOffline", where="kafka"
    ),
    "a broker is frozen": Fault(
        on_broker(faults.frozen, 2), "BrokerDown", DELAYED, kind="ServiceDown", where="kafka2"
    ),
    "a firewall closes a broker's port": Fault(
        on_broker(faults.port_closed, 1), "PartitionNotWritable", URGENT,
        kind="ClientsAffected", where="kafka",
    ),
    "a machine has no network": Fault(
        on_broker(faults.cut_off, 2), "HostDown", DELAYED, kind="ServiceDown", where="kafka2"
    ),
    "two machines do not reach each other": Fault(
        between_brokers(2, 3), "", DELAYED,
        kind="ConnectionFails", where="node2", screens=("status",),
    ),
    "a container engine hangs": Fault(
        on_broker(faults.engine_hung, 2), "ContainerEngineUnreachable", DELAYED,
        kind="EngineDown", where="node2",
    ),
    "a machine is switched off": Fault(
        switched_off, "HostDown", DELAYED, kind="ServiceDown", where="kafka2"
    ),
    # Clients wait until the watchdog ends the broker.
    "a disk hangs": Fault(hung_disk, "PartitionNotWritable", URGENT, kind="ServiceDown"),
    # The minute of this alert begins when the watchdog ends the broker; a person knows by then.
    "a hung disk ends its broker": Fault(
        hung_disk, "BrokerDown", DELAYED, kind="ServiceDown", paged_by="PartitionNotWritable"
    ),
    "a disk dies": Fault(
        log_dir(1, "xfs_io -x -c 'shutdown -f'"), "LogDirOffline", DELAYED, page=False,
        kind="LogDirOffline", where="kafka1",
    ),
    "a disk is read-only after a restart": Fault(
        log_dir(2, "mount -o remount,ro", while_stopped=True), "FileSystemBroken", DELAYED,
        page=False, kind="LogDirOffline", where="kafka2",
    ),
    "a ZooKeeper server is dead": Fault(
        servers_dead(1), "ZooKeeperServerDown", DELAYED, page=False,
        kind="ServiceDown", where="zk1",
    ),
    "the ZooKeeper ensemble has no quorum": Fault(
        servers_dead(1, 2), "ZooKeeperWithoutQuorum", DELAYED, kind="NoLeader", where="zookeeper"
    ),
    "a ZooKeeper server is frozen": Fault(
        lambda cluster: faults.frozen(cluster, cluster.topology.zookeepers[2]),
        "ZooKeeperServerDown", DELAYED, page=False, kind="ServiceDown", where="zk2",
    ),
    # Fires for ten minutes after the election.
    "a leader lacks records": Fault(
        unclean_leader, "UncleanElection", DELAYED, kind="UncleanElection", over=660
    ),
}  # fmt: skip
