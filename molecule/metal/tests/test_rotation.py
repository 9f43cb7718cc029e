"""Certificates, the CA and passwords are rotated under load without restarts and errors."""

import subprocess
import time

import pytest
from confluent_kafka.admin import AdminClient
from testing import access, playbooks
from testing.cluster import Cluster
from testing.traffic import Traffic

CLIENTS, BROKERS = 9092, 9192


def authenticates(user: str, bootstrap: str) -> bool:
    """Whether a user can connect with the credentials that `make access` writes now."""
    settings = {**access.of(user), "bootstrap.servers": bootstrap, "log_level": 0}
    return bool(AdminClient(settings).list_topics(timeout=15).brokers)


def serial(endpoint: str) -> str:
    """Return the serial number of a listener's certificate."""
    output = subprocess.run(
        ["openssl", "s_client", "-connect", endpoint], input=b"", capture_output=True, check=False
    ).stdout
    return subprocess.run(
        ["openssl", "x509", "-noout", "-serial"],
        input=output, capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip


def starts(cluster: Cluster) -> dict[str, str]:
    """Return the start times of all brokers and ZooKeeper servers."""
    instances = [*cluster.topology.brokers.values(), *cluster.topology.zookeepers.values()]
    return {each.container: cluster.container(each).started() for each in instances}


@pytest.mark.parametrize("what", ["certificates", "ca", "passwords"])
def test_credentials_are_rotated_under_load(cluster: Cluster, what: str):
    endpoints = [
        f"{each.address}:{port}"
        for each in cluster.topology.brokers.values()
        for port in (CLIENTS, BROKERS)
    ]
    before, serials = starts(cluster), {endpoint: serial(endpoint) for endpoint in endpoints}
    extra = {"rotate_what": what}
    if what == "passwords":
        extra["rotate_names"] = ["demo"]

    with Traffic(cluster.topology.bootstrap, rate=200) as traffic:
        playbooks.run("rotate", extra=extra, seconds=1200)
        # Time for new connections.
        time.sleep(5)
    result = traffic.verify()

    assert (result.lost, result.errors) == ([], {})
    assert starts(cluster) == before
    assert authenticates("demo", cluster.topology.bootstrap)
    if what != "passwords":
        assert not set(serials.values()) & {serial(endpoint) for endpoint in endpoints}
    # The next run has nothing to do.
    assert playbooks.changes(playbooks.run("site", seconds=1200)) == 0
