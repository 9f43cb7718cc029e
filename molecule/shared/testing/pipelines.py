"""Pipelines that a test declares."""

from contextlib import suppress

from kafka.errors import UnknownTopicOrPartitionError

from testing import access
from testing.cluster import Cluster


def remove(cluster: Cluster, name: str, *topics: str) -> None:
    """Delete a pipeline's driver, configuration, keys, checkpoints and archive, and topics."""
    container = f"{cluster.topology.cluster}-pipeline-{name}"
    machine = cluster.machine(cluster.topology.drivers["payments"])
    machine.run("docker rm --force --volumes %s", container)
    for folder in ("/etc/kafka-metal", "/etc/kafka-metal/.as-left"):
        machine.run("rm --recursive --force %s/%s", folder, container)
    machine.run(f"rm --force /etc/kafka-metal/*/pipeline-{name}.properties")
    for folder in ("archive", "checkpoints"):
        machine.run("rm --recursive --force %s/%s/%s", cluster.topology.shared_dir, folder, name)
    with access.admin(cluster.topology.bootstrap) as admin:
        for topic in topics:
            with suppress(UnknownTopicOrPartitionError):
                admin.delete_topics([topic])
