"""Who gets in at every port: points 26, 27 and 46 of docs/operate/guides/security-checklist.md."""

import ssl
import struct
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from testing import access, observer
from testing.cluster import Cluster
from testing.keys import Keys

# The kernel's own range for connections that go out, where drivers and executors listen too.
EPHEMERAL = 32_768
SECONDS = 4
# Whoever the port lets in with this key: the machine's address, the port, the key or none.
Way = Callable[[str, int, Path | None], bool]


def sees_topics(address: str, port: int, key: Path | None) -> bool:
    """Whether a broker tells of a topic to who has proven nothing but a certificate.

    Asked in Kafka's own words (Metadata, version 1, all topics): clients want the names under which
    brokers know each other, which nodes alone resolve.
    """
    question = struct.pack(">hhihi", 3, 1, 1, -1, -1)
    try:
        with observer.connected(address, port, access.folder / "ca.pem", key) as broker:
            broker.sendall(struct.pack(">i", len(question)) + question)
            (size,) = struct.unpack(">i", observer.received(broker, 4))
            return b"payments" in observer.received(broker, size)
    except (observer.Refused, OSError):
        return False


def reads_figures(address: str, port: int, key: Path | None) -> bool:
    """Whether the proxy of a machine gives figures to who has a certificate and no token."""
    context = ssl.create_default_context(cafile=access.folder / "ca.pem")
    context.check_hostname = False
    if key:
        context.load_cert_chain(key)
    try:
        urllib.request.urlopen(
            f"https://{address}:{port}/kafka/metrics", timeout=SECONDS, context=context
        ).close()
    # An HTTPError is one, too.
    except OSError:
        return False
    return True


def speaks_tls(address: str, port: int, key: Path | None) -> bool:
    """Whether a port that asks for a secret or a password takes a certificate as well."""
    try:
        observer.connected(address, port, access.folder / "ca.pem", key).close()
    except (observer.Refused, OSError):
        return False
    return True


def follows(address: str, port: int, key: Path | None) -> bool:
    """Whether a leader of the ensemble takes it for a server that follows."""
    try:
        return bool(observer.tree_sent(address, port, access.folder / "ca.pem", key))
    except observer.Refused:
        return False


def votes(address: str, port: int, key: Path | None) -> bool:
    """Whether a server of the ensemble takes its vote."""
    return observer.election_accepts(address, port, access.folder / "ca.pem", key)


def is_client(address: str, port: int, key: Path | None) -> bool:
    """Whether a server of the ensemble answers it; what it may read there: test_ensemble.py."""
    return observer.answers_clients(address, port, access.folder / "ca.pem", key)


QUORUM = {"zk/quorum"}
# What is of the ensemble's own CA is of no use to its clients.
CLIENTS_OF_ZOOKEEPER = {
    *("operator", "kafka/broker", "kafka/ensemble", "kafka/operator"),
    *("spark-master/ensemble", "spark-history/ensemble", "zk/server"),
}
# Ports by number, how they are asked, and which kinds get in.
PORTS: dict[int, tuple[Way, set[str]]] = {
    9092: (sees_topics, set()),
    9192: (sees_topics, {"operator", "kafka/operator", "kafka/broker"}),
    2181: (is_client, CLIENTS_OF_ZOOKEEPER),
    2888: (follows, QUORUM),
    3888: (votes, QUORUM),
    **{port: (speaks_tls, set()) for port in (7077, 7078, 8080, 8081, 18080, 4050)},
    9443: (reads_figures, set()),
}


def listening(cluster: Cluster, name: str) -> set[int]:
    """Ports of a machine that others can reach."""
    lines = cluster.shell(name).check_output("ss -Hltn").splitlines()
    places = [line.split()[3].rpartition(":") for line in lines]
    return {int(port) for address, _, port in places if not address.startswith(("127.", "[::1]"))}


def open_from(cluster: Cluster, name: str, target: str) -> set[int]:
    """Ports of another machine that answer to this one, all 65,535 of them tried."""
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
    """Where the machine of the tests reaches another."""
    return next(
        each.address for each in cluster.topology.brokers.values() if each.machine == machine
    )


def test_46_every_port_lets_in_the_kinds_that_it_should(cluster: Cluster, keys: Keys):
    ports = {
        port: name
        for name in cluster.topology.machines
        for port in listening(cluster, name)
        if port < EPHEMERAL
    }
    assert set(ports) <= set(PORTS), "nobody says here who gets in"
    # The leader alone listens to who follows.
    ports[2888] = cluster.topology.zookeepers[cluster.zookeeper_leader()].machine
    assert {"kafka/broker", "zk/quorum", "spark-master/ensemble"} <= set(keys.kinds)
    files = {kind: keys(kind) for kind in keys.kinds}

    def wrong(question: tuple[int, str | None]) -> str:
        port, kind = question
        way, right = PORTS[port]
        got_in = way(address_of(cluster, ports[port]), port, files[kind] if kind else None)
        return f"{port}: {kind or 'no certificate'}" if got_in != (kind in right) else ""

    with ThreadPoolExecutor(8) as pool:
        found = pool.map(wrong, [(port, kind) for port in ports for kind in (*files, None)])
        assert [each for each in found if each] == []


def test_27_a_neighbour_finds_the_declared_ports_and_no_other(cluster: Cluster):
    found = {port for port in open_from(cluster, "node2", "node1") if port < EPHEMERAL}

    assert found <= set(PORTS)
    # The machine that has everything. The scan sees: what must be open is found.
    assert {9092, 9192, 2181} <= found


def test_26_the_engine_listens_on_no_port(cluster: Cluster):
    for name in cluster.topology.machines:
        assert not {2375, 2376} & listening(cluster, name)
