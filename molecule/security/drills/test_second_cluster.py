"""Two clusters on the same machine cannot access each other, nor are deleted together."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from testing import access, observer, playbooks
from testing.cluster import Cluster

SECOND = str(Path(__file__).resolve().parents[1] / "second_cluster")
NAME, MACHINE = "secured-eu", "node1"
CLIENTS, ZOOKEEPER = 19092, 12181
SECONDS = 5


@pytest.fixture(scope="module", autouse=True)
def _delete_second_cluster(platform: Cluster) -> Iterator[None]:
    yield
    if second_containers(platform):
        playbooks.run("destroy", sources=SECOND, extra={"confirm_destroy": NAME})
    # Drills need a blank spare disk.
    machine = platform.shell(MACHINE)
    machine.check_output("sed -i '\\#/data/eu1#d' /etc/fstab")
    machine.check_output("umount /data/eu1 && wipefs --quiet --all /dev/sdd")
    shutil.rmtree(playbooks.state(NAME), ignore_errors=True)


@pytest.fixture
def second(cluster: Cluster) -> Path:
    """Create the second cluster; return the folder of its operator's credentials."""
    if not second_containers(cluster):
        before = starts(cluster)
        playbooks.run("site", sources=SECOND)
        assert starts(cluster) == before
    return playbooks.state(NAME) / "operator"


def topics(bootstrap: str, settings: dict[str, str], **other: str) -> set[str]:
    """Return the topics that a client sees with these settings."""
    quiet = {"log_level": 0, "error_cb": lambda _: None}
    client = AdminClient({**settings, **quiet, "bootstrap.servers": bootstrap, **other})
    return set(client.list_topics(timeout=SECONDS).topics)


def second_containers(cluster: Cluster) -> list[str]:
    """Return the containers of the second cluster on the machine, running or not."""
    command = "docker ps --all --quiet --filter label=kafka-metal.cluster=%s"
    return cluster.shell(MACHINE).check_output(command, NAME).split()


def starts(cluster: Cluster) -> list[str]:
    """Return the start times of the containers of the first cluster."""
    return [cluster.container(each).started() for each in cluster.topology.instances]


def test_an_operator_of_one_cluster_is_refused_by_the_other(second: Path, cluster: Cluster):
    first = cluster.topology.bootstrap
    there = f"{cluster.topology.brokers[1].address}:{CLIENTS}"
    theirs, ours = access.read(second / "client.conf"), access.librdkafka()
    assert "orders" in topics(there, theirs)

    # Also with a client that does not verify the server's certificate.
    careless = {"enable.ssl.certificate.verification": "false"}
    for place, settings in ((first, theirs), (there, ours)):
        for other in ({}, careless):
            with pytest.raises(KafkaException):
                topics(place, settings, **other)


def test_a_key_of_one_cluster_is_refused_by_zookeeper_of_the_other(second: Path, cluster: Cluster):
    server, ca = cluster.topology.zookeepers[1], access.folder / "ca.pem"
    own, foreign = access.folder / "operator.pem", second / "operator.pem"

    assert observer.accepts_client(server.address, server.port, ca, own)
    assert not observer.accepts_client(server.address, server.port, ca, foreign)
    assert observer.accepts_client(server.address, ZOOKEEPER, ca, foreign)
    assert not observer.accepts_client(server.address, ZOOKEEPER, ca, own)


def test_destroy_is_refused_for_a_cluster_whose_name_is_a_prefix(second: Path, cluster: Cluster):
    there = second_containers(cluster)
    assert len(there) == 2
    typo = playbooks.run(
        "destroy", sources=SECOND, check=False,
        extra={"cluster_name": "secured", "confirm_destroy": "secured"},
    )  # fmt: skip

    assert typo.returncode != 0, typo.stdout[-3000:]
    assert second_containers(cluster) == there
    cluster.wait_until_whole(seconds=10)


def test_destroy_deletes_only_its_own_cluster(second: Path, cluster: Cluster):
    before = starts(cluster)

    playbooks.run("destroy", sources=SECOND, extra={"confirm_destroy": NAME})

    assert second_containers(cluster) == []
    machine = cluster.shell(MACHINE)
    kept = "/etc/kafka-metal/secured-eu-* /etc/kafka-metal/.*/secured-eu[-@]*"
    notes = "/var/lib/kafka-metal/applied/secured-eu* /var/lib/kafka-metal/locks/secured-eu*"
    assert machine.run(f"ls -d /data/eu1/kafka {kept} {notes}").stdout == ""
    assert starts(cluster) == before
    assert machine.file("/data/disk1/kafka").is_directory
    cluster.wait_until_whole(seconds=10)
