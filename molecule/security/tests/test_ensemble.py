"""Who gets into the ensemble: points 46 to 49 of docs/security-checklist.md.

That it answers nobody without a certificate: molecule/shared/tests/test_who_gets_in.py.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from testing import access
from testing.cluster import Cluster
from testing.topology import Instance

# As the inventory has them: between servers, and for elections.
PEER, ELECTION = 2888, 3888
# Every kind of certificate that the platform issues, but that of servers for servers.
OTHERS = ("operator", "kafka1/broker", "kafka1/ensemble", "spark-master1/ensemble", "zk1/server")

Keys = Callable[[str], Path]


@pytest.fixture
def keys(cluster: Cluster, tmp_path: Path) -> Keys:
    """A file with the key and certificate of one kind, by service and name, as a machine has it."""

    def of(kind: str) -> Path:
        if kind == "operator":
            assert access.folder is not None
            return access.folder / "operator.pem"
        service, _, name = kind.rpartition("/")
        folder = f"/etc/kafka-metal/{cluster.topology.cluster}-{service}"
        [there] = [
            cluster.machine(each)
            for each in cluster.topology.instances
            if each.container == f"{cluster.topology.cluster}-{service}"
        ]
        file = tmp_path / f"{service}-{name}.pem"
        file.touch(mode=0o600)
        file.write_text(there.file(f"{folder}/{name}.pem").content_string, encoding="utf-8")
        return file

    return of


def leader(cluster: Cluster) -> Instance:
    """The server that other servers follow."""
    return cluster.topology.zookeepers[cluster.zookeeper_leader()]


def shell(cluster: Cluster, server: int, *words: str) -> str:
    """What ZooKeeper's shell says to a broker."""
    broker = cluster.topology.brokers[1]
    return cluster.machine(broker).check_output(
        "docker exec %s zookeeper-shell %s -zk-tls-config-file /etc/kafka/ensemble.properties "
        + " ".join(words),
        broker.container, cluster.topology.zookeepers[server].endpoint,
    )  # fmt: skip


def configured(cluster: Cluster, server: int) -> dict[str, str]:
    """Keys of zoo.cfg as a server has it."""
    instance = cluster.topology.zookeepers[server]
    path = f"/etc/kafka-metal/{instance.container}/zoo.cfg"
    lines = cluster.machine(instance).file(path).content_string.splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def acls(cluster: Cluster, paths: list[str]) -> dict[str, dict[str, str]]:
    """Rights of each node, as a broker reads them, in one session of ZooKeeper's shell."""
    broker = cluster.topology.brokers[1]
    said = cluster.machine(broker).check_output(
        "printf '%%b' %s | docker exec -i %s zookeeper-shell %s "
        "-zk-tls-config-file /etc/kafka/ensemble.properties 2>&1",
        "".join(f"version\\ngetAcl {path}\\n" for path in paths) + "quit\\n",
        broker.container, cluster.topology.zookeepers[1].endpoint,
    )  # fmt: skip
    answers = said.split("ZooKeeper CLI version")[1:]
    assert len(answers) == len(paths), said[-2000:]
    return {path: permissions(answer) for path, answer in zip(paths, answers, strict=True)}


def permissions(acl: str) -> dict[str, str]:
    """Rights by scheme and identity, as `getAcl` shows them on two lines each."""
    found = re.findall(r"^'(\w+),'(\S+)\n: (\w+)$", acl, re.MULTILINE)
    return {f"{scheme},{identity}": rights for scheme, identity, rights in found}


def test_47_there_is_no_plain_port_and_servers_speak_tls(cluster: Cluster):
    for server in cluster.topology.zookeepers:
        found = configured(cluster, server)
        assert "clientPort" not in found
        assert found["secureClientPort"] == "2181"
        assert found["sslQuorum"] == "true"


def test_49_only_one_word_is_answered_and_everything_is_written_down(cluster: Cluster):
    for server in cluster.topology.zookeepers:
        found = configured(cluster, server)
        assert found["4lw.commands.whitelist"] == "srvr"
        assert found["admin.enableServer"] == "false"
        assert found["audit.enable"] == "true"
