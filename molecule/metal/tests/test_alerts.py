"""Faults fire their alert in time, and planned work pages nobody."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from testing import disk_faults, faults, playbooks, sandbox
from testing.cluster import Cluster
from testing.disk_faults import Disk
from testing.prometheus import Prometheus
from testing.rolls import preferred_lead
from testing.waiting import NotYet, wait_for

OVERLAY = Path(__file__).resolve().parents[1] / "monitoring"
# The machine of Prometheus, which has no fault.
MONITORING_HOST = "node3"
# A partition to which the probe writes.
PROBED = "kafka-metal-probe-0"
# Seconds until an alert fires: faults that stop clients for more than half a minute.
URGENT = 60
# Faults that stop clients for less time, or not yet: their alerts have a longer `for`.
DELAYED = 150

Injection = Callable[[Cluster], AbstractContextManager[None]]


@dataclass(frozen=True)
class Fault:
    """A fault, its alert, and the seconds within which the alert has to fire."""

    inject: Injection
    alert: str
    within: float
    page: bool = True


def brokers_dead(*numbers: int) -> Injection:
    return lambda cluster: faults.dead(cluster, *(cluster.topology.brokers[n] for n in numbers))


def servers_dead(*numbers: int) -> Injection:
    return lambda cluster: faults.dead(cluster, *(cluster.topology.zookeepers[n] for n in numbers))


def on_broker(fault: Callable[..., AbstractContextManager[None]], number: int) -> Injection:
    return lambda cluster: fault(cluster, cluster.topology.brokers[number])


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


FAULTS = {
    "a broker is dead": Fault(brokers_dead(1), "BrokerDown", DELAYED),
    "two of three brokers are dead": Fault(brokers_dead(1, 2), "PartitionNotWritable", URGENT),
    "two brokers are dead, by metrics of brokers": Fault(
        brokers_dead(1, 2), "PartitionsUnderMinIsr", DELAYED
    ),
    "the only replica of a partition is dead": Fault(
        only_replica_dead, "PartitionsOffline", DELAYED
    ),
    "a broker is frozen": Fault(on_broker(faults.frozen, 2), "BrokerDown", DELAYED),
    "a firewall closes a broker's port": Fault(
        on_broker(faults.port_closed, 1), "PartitionNotWritable", URGENT
    ),
    "a machine has no network": Fault(on_broker(faults.cut_off, 2), "HostDown", DELAYED),
    "a container engine hangs": Fault(
        on_broker(faults.engine_hung, 2), "ContainerEngineUnreachable", DELAYED
    ),
    "a machine is switched off": Fault(switched_off, "HostDown", DELAYED),
    # Clients wait until the watchdog ends the broker.
    "a disk hangs": Fault(hung_disk, "PartitionNotWritable", URGENT),
    "a hung disk ends its broker": Fault(hung_disk, "BrokerDown", DELAYED),
    "a disk dies": Fault(
        log_dir(1, "xfs_io -x -c 'shutdown -f'"), "LogDirOffline", DELAYED, page=False
    ),
    "a disk is read-only after a restart": Fault(
        log_dir(2, "mount -o remount,ro", while_stopped=True),
        "FileSystemBroken", DELAYED, page=False,
    ),
    "a ZooKeeper server is dead": Fault(
        servers_dead(1), "ZooKeeperServerDown", DELAYED, page=False
    ),
    "the ZooKeeper ensemble has no quorum": Fault(
        servers_dead(1, 2), "ZooKeeperWithoutQuorum", DELAYED
    ),
    "a ZooKeeper server is frozen": Fault(
        lambda cluster: faults.frozen(cluster, cluster.topology.zookeepers[2]),
        "ZooKeeperServerDown", DELAYED, page=False,
    ),
    # Fires for ten minutes after the election.
    "a leader lacks records": Fault(unclean_leader, "UncleanElection", DELAYED),
}  # fmt: skip


@pytest.fixture(scope="module")
def prometheus(platform: Cluster, inventory: str) -> Iterator[Prometheus]:
    """Prometheus, monitoring the cluster during these tests."""
    playbooks.inventory = f"{inventory},{OVERLAY}"
    try:
        playbooks.run("site")
        prometheus = Prometheus(platform, MONITORING_HOST, "127.0.0.1:9090")
        prometheus.wait_for_targets(seconds=60)
        yield prometheus
    finally:
        for one in sandbox.of(platform):
            if one.service not in ("kafka_broker", "zookeeper"):
                one.machine.check_output("docker rm --force %s", one.name)
        playbooks.inventory = inventory
        playbooks.run("site")


# Requests a URL over TLS and prints the status code. Arguments: file of the CA, file of the token
# or an empty string, URL.
REQUEST = """
import ssl, sys, urllib.error, urllib.request
ca, token, url = sys.argv[1:]
headers = {"Authorization": "Bearer " + open(token).read()} if token else {}
trusted = ssl.create_default_context(cafile=ca)
try:
    request = urllib.request.Request(url, headers=headers)
    print(urllib.request.urlopen(request, context=trusted, timeout=5).status)
except urllib.error.HTTPError as error:
    print(error.code)
"""
OWN = "/etc/kafka-metal/{cluster}-prometheus1/{file}"


@pytest.mark.usefixtures("prometheus")
def test_metrics_of_other_machines_need_the_proxy_and_a_token(cluster: Cluster):
    monitoring_host, broker = cluster.shell(MONITORING_HOST), cluster.topology.brokers[1]
    ca, token = (
        OWN.format(cluster=cluster.topology.cluster, file=file)
        for file in ("ca.pem", "metrics.token")
    )
    page = f"https://{broker.address}:9443/proxy?module=kafka1"
    connect = "timeout 2 bash -c %s"

    assert monitoring_host.check_output("python3 -c %s %s %s %s", REQUEST, ca, token, page) == "200"
    assert monitoring_host.check_output("python3 -c %s %s %s %s", REQUEST, ca, "", page) == "401"
    # The agents of broker and server, and the node exporter.
    for port in (9404, 9405, 9100):
        assert monitoring_host.run(connect, f"exec 3<>/dev/tcp/{broker.address}/{port}").rc != 0
    assert monitoring_host.run(connect, f"exec 3<>/dev/tcp/{broker.address}/9443").rc == 0


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_fires_its_alert_in_time(name: str, cluster: Cluster, prometheus: Prometheus):
    fault = FAULTS[name]
    prometheus.wait_for_targets(seconds=120)
    prometheus.wait_until_over(fault.alert, seconds=120)
    # After the fault before a broker may lead no partition: its loss would have no effect.
    preferred_lead(cluster)
    with fault.inject(cluster):
        began = time.monotonic()
        prometheus.wait_for(fault.alert, fault.within)
        took = time.monotonic() - began
        pages = prometheus.firing("page")
    print(f"{name}: {fault.alert} after {took:.0f} s")
    assert (fault.alert in pages) is fault.page


def test_a_planned_restart_pages_nobody(prometheus: Prometheus):
    assert pages_during(prometheus, lambda: playbooks.run("restart", seconds=1200)) == set()


@pytest.fixture
def old_version(platform: Cluster, prometheus: Prometheus) -> Iterator[None]:
    """Create the cluster with the old version; destroy it at the end: a downgrade is impossible."""
    destroyed = {"confirm_destroy": platform.topology.cluster}
    playbooks.run("destroy", extra=destroyed)
    playbooks.run("site", extra={"image_versions": {"kafka": "3.8.1"}})
    prometheus.wait_for_targets(seconds=120)
    yield
    playbooks.run("destroy", extra=destroyed)


@pytest.mark.usefixtures("old_version")
def test_an_upgrade_pages_nobody(prometheus: Prometheus):
    def upgrade() -> None:
        playbooks.run("upgrade", seconds=1200)
        playbooks.run("upgrade", extra={"upgrade_finish": True}, seconds=1200)

    assert pages_during(prometheus, upgrade) == set()


def pages_during(prometheus: Prometheus, work: Callable[[], object]) -> set[str]:
    """Return the alerts of severity page that fired during planned work."""
    # Alerts of earlier tests end first.
    wait_for("no page fires", lambda: silent(prometheus), seconds=700, every=5)
    began = time.monotonic()
    work()
    # Two evaluations of the rules after the end of the work.
    time.sleep(30)
    return prometheus.fired("page", int(time.monotonic() - began))


def silent(prometheus: Prometheus) -> None:
    if pages := prometheus.firing("page"):
        raise NotYet(f"firing: {sorted(pages)}")
