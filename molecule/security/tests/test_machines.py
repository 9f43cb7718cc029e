"""Security of machines: points 24, 25 and 30 of docs/operate/guides/security-checklist.md."""

import json

from testing.cluster import Cluster


def test_24_the_engine_trusts_no_registry_without_tls(cluster: Cluster):
    for machine in cluster.shells():
        info = json.loads(machine.check_output("docker info --format '{{json .}}'"))
        registries = info["RegistryConfig"]["IndexConfigs"] or {}
        assert all(each["Secure"] for each in registries.values())


def test_25_only_root_can_access_the_engine(cluster: Cluster):
    for machine in cluster.shells():
        socket = machine.file("/var/run/docker.sock")
        assert socket.mode & 0o007 == 0
        group = machine.check_output("getent group docker || true").rpartition(":")[2]
        assert group.strip() == ""


def test_30_data_is_on_dedicated_disks(cluster: Cluster):
    for broker in cluster.topology.brokers.values():
        machine = cluster.machine(broker)
        for log_dir in broker.log_dirs:
            mount = machine.mount_point(log_dir.rpartition("/")[0])
            assert {"nodev", "nosuid"} <= set(mount.options)
            directory = machine.file(log_dir)
            assert directory.uid == 10_001
            assert directory.mode & 0o007 == 0
