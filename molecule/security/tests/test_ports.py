"""Access to every port: points 26, 27 and 46 of docs/operate/guides/security-checklist.md."""

import ssl
import struct
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from testing import access, observer
from testing.cluster import Cluster
from testing.keys import Keys

# First port of the kernel's ephemeral range, in which drivers and executors listen.
EPHEMERAL = 32_768
SECONDS = 4
# Whether a port allows access; arguments: the machine's address, the port, the key or None.
Probe = Callable[[str, int, Path | None], bool]


def sees_topics(address: str, port: int, key: Path | None) -> bool:
    """Whether a broker returns topics to a client with a certificate and no password.

    Sends a request of Kafka's protocol (Metadata, version 1, all topics). A client library would
    have to resolve the brokers' names, which only nodes can.
    """
    request = struct.pack(">hhihi", 3, 1, 1, -1, -1)
    try:
        with observer.connected(address, port, access.folder / "ca.pem", key) as broker:
            broker.sendall(struct.pack(">i", len(request)) + request)
            (size,) = struct.unpack(">i", observer.received(broker, 4))
            return b"payments" in observer.received(broker, size)
    except (observer.Refused, OSError):
        return False


def reads_metrics(address: str, port: int, key: Path | None) -> bool:
    """Whether the metrics proxy of a machine accepts a client with a certificate and no token."""
    context = ssl.create_default_context(cafile=access.folder / "ca.pem")
    context.check_hostname = False
    if key:
        context.load_cert_chain(key)
    try:
        urllib.request.urlopen(
            f"https://{address}:{port}/kafka/metrics", timeout=SECONDS, context=context
        ).close()
    # HTTPError is an OSError, too.
    except OSError:
        return False
    return True


def accepts_certificate(address: str, port: int, key: Path | None) -> bool:
    """Whether a port that requires a secret or a password accepts a certificate."""
    try:
        observer.connected(address, port, access.folder / "ca.pem", key).close()
    except (observer.Refused, OSError):
        return False
    return True


def follows(address: str, port: int, key: Path | None) -> bool:
    """Whether the ZooKeeper leader accepts the key of a follower or observer."""
    try:
        return bool(observer.tree_sent(address, port, access.folder / "ca.pem", key))
    except observer.Refused:
        return False


def votes(address: str, port: int, key: Path | None) -> bool:
    """Whether a ZooKeeper server accepts votes with the key."""
    return observer.election_accepts(address, port, access.folder / "ca.pem", key)


def is_client(address: str, port: int, key: Path | None) -> bool:
    """Whether a ZooKeeper server responds to a client; see test_ensemble.py for its rights."""
    return observer.accepts_client(address, port, access.folder / "ca.pem", key)


QUORUM = {"zk/quorum"}
# The quorum has its own CA, so its certificates are refused at the client port.
CLIENTS_OF_ZOOKEEPER = {
    *("operator", "kafka/broker", "kafka/ensemble", "kafka/operator"),
    *("spark-master/ensemble", "spark-history/ensemble", "zk/server"),
}
# Ports with their probe and the kinds of keys that have access.
PORTS: dict[int, tuple[Probe, set[str]]] = {
    9092: (sees_topics, set()),
    9192: (sees_topics, {"operator", "kafka/operator", "kafka/broker"}),
    2181: (is_client, CLIENTS_OF_ZOOKEEPER),
    2888: (follows, QUORUM),
    3888: (votes, QUORUM),
    **{port: (accepts_certificate, set()) for port in (7077, 7078, 8080, 8081, 18080, 4050)},
    9443: (reads_metrics, set()),
}


def listening(cluster: Cluster, name: str) -> set[int]:
    """Return the ports of a machine that listen on more than loopback."""
    lines = cluster.shell(name).check_output("ss -Hltn").splitlines()
    places = [line.split()[3].rpartition(":") for line in lines]
    return {int(port) for address, _, port in places if not address.startswith(("127.", "[::1]"))}


def open_from(cluster: Cluster, name: str, target: str) -> set[int]:
    """Return the open ports of machine ``target`` from machine ``name``; all 65,535 are tried."""
    script = """
import asyncio, sys
async def tried(port, gate):
    async with gate:
        try:
            _, writer = await asyncio.wait_for(asyncio.open_connection(sys.argv[1], port), 2)
        except (OSError, asyncio.TimeoutError):
            return 0
        writer.close()
        return port
async def main():
    gate = asyncio.Semaphore(256)
    found = await asyncio.gather(*(tried(port, gate) for port in range(1, 65536)))
    print(*sorted(port for port in found if port))
asyncio.run(main())
"""
    machine = cluster.shell(name)
    return {int(port) for port in machine.check_output("python3 -c %s %s", script, target).split()}


def address_of(cluster: Cluster, machine: str) -> str:
    """Return the address of a machine."""
    return next(
        each.address for each in cluster.topology.brokers.values() if each.machine == machine
    )


def test_46_every_port_allows_only_its_kinds_of_keys(cluster: Cluster, keys: Keys):
    ports = {
        port: name
        for name in cluster.topology.machines
        for port in listening(cluster, name)
        if port < EPHEMERAL
    }
    assert set(ports) <= set(PORTS), "PORTS lacks a listening port"
    # Only the leader listens on the peer port.
    ports[2888] = cluster.topology.zookeepers[cluster.zookeeper_leader()].machine
    assert {"kafka/broker", "zk/quorum", "spark-master/ensemble"} <= set(keys.kinds)
    files = {kind: keys(kind) for kind in keys.kinds}

    def wrong(case: tuple[int, str | None]) -> str:
        port, kind = case
        probe, allowed = PORTS[port]
        access_granted = probe(
            address_of(cluster, ports[port]), port, files[kind] if kind else None
        )
        return f"{port}: {kind or 'no certificate'}" if access_granted != (kind in allowed) else ""

    with ThreadPoolExecutor(8) as pool:
        found = pool.map(wrong, [(port, kind) for port in ports for kind in (*files, None)])
        assert [each for each in found if each] == []


def test_27_another_machine_finds_only_the_declared_ports_open(cluster: Cluster):
    found = {port for port in open_from(cluster, "node2", "node1") if port < EPHEMERAL}

    assert found <= set(PORTS)
    # The scan works: it finds ports that have to be open on this machine.
    assert {9092, 9192, 2181} <= found


def test_26_the_engine_listens_on_no_port(cluster: Cluster):
    for name in cluster.topology.machines:
        assert not {2375, 2376} & listening(cluster, name)
