"""The platform runs as the inventory declares."""

from testing.cluster import Cluster


def test_three_servers_form_one_quorum(cluster: Cluster):
    assert set(cluster.topology.zookeepers) == {1, 2, 3}
    # Raises NotYet unless one server leads and all others follow.
    assert cluster.zookeeper_leader() in {1, 2, 3}


def test_every_broker_is_registered_with_both_log_dirs_online(cluster: Cluster):
    online = {"/data/disk1/kafka": 0, "/data/disk2/kafka": 0}
    assert cluster.brokers.log_dirs() == {1: online, 2: online, 3: online}


def test_every_partition_has_three_replicas_in_sync(cluster: Cluster):
    partitions = list(cluster.brokers.partitions())
    assert partitions
    assert [part.name for part in partitions if len(set(part.in_sync)) != 3] == []


def test_data_is_on_the_data_disks(host):
    for disk in ("disk1", "disk2"):
        mount = host.mount_point(f"/data/{disk}")
        assert mount.filesystem == "xfs"
        assert host.check_output("ls %s/kafka | grep -c -- '-[0-9]*$'", mount.path) != "0"


def test_a_broker_s_container_is_restricted(cluster: Cluster):
    for instance in cluster.topology.brokers.values():
        limits = cluster.container(instance).inspect()["HostConfig"]
        assert limits["ReadonlyRootfs"]
        assert limits["CapDrop"] == ["ALL"]
        assert not limits["Privileged"]
        assert limits["Memory"] > 0
