"""What a machine shows to its neighbours: points 24 to 30 of docs/security-checklist.md."""

import json

from testing.cluster import Cluster

# Kafka for clients and brokers; ZooKeeper for clients, followers and elections; Spark's master and
# worker with their pages, its history; the state of a pipeline.
DECLARED = {9092, 9192, 2181, 2888, 3888, 7077, 7078, 8080, 8081, 18080, 4050}
# The kernel's own range for connections that go out, where drivers and executors listen too.
EPHEMERAL = 32_768


def listening(cluster: Cluster, name: str) -> set[int]:
    """Ports of a machine on which somebody listens for others."""
    machine = cluster.shell(name)
    lines = machine.check_output("ss --numeric --listening --tcp --no-header").splitlines()
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


def test_27_a_neighbour_finds_the_declared_ports_and_no_other(cluster: Cluster):
    found = {port for port in open_from(cluster, "node2", "node1") if port < EPHEMERAL}

    assert found <= DECLARED
    # The machine that has everything. The scan sees: what must be open is found.
    assert {9092, 9192, 2181} <= found


def test_26_the_engine_listens_on_no_port(cluster: Cluster):
    for name in cluster.topology.machines:
        assert not {2375, 2376} & listening(cluster, name)


def test_24_the_engine_trusts_no_registry_without_tls(cluster: Cluster):
    for machine in cluster.shells():
        info = json.loads(machine.check_output("docker info --format '{{json .}}'"))
        registries = info["RegistryConfig"]["IndexConfigs"] or {}
        assert all(each["Secure"] for each in registries.values())


def test_25_nobody_but_root_and_its_group_speaks_to_the_engine(cluster: Cluster):
    for machine in cluster.shells():
        socket = machine.file("/var/run/docker.sock")
        assert socket.mode & 0o007 == 0
        group = machine.check_output("getent group docker || true").rpartition(":")[2]
        assert group.strip() == ""


def test_30_data_lies_on_disks_that_carry_nothing_else(cluster: Cluster):
    for broker in cluster.topology.brokers.values():
        machine = cluster.machine(broker)
        for log_dir in broker.log_dirs:
            mount = machine.mount_point(log_dir.rpartition("/")[0])
            assert {"nodev", "nosuid"} <= set(mount.options)
            directory = machine.file(log_dir)
            assert directory.uid == 10_001
            assert directory.mode & 0o007 == 0
