"""Who gets into the ensemble: points 46 to 49 of docs/security-checklist.md.

That it answers nobody without a certificate: molecule/shared/tests/test_who_gets_in.py.
"""

import re

from testing.cluster import Cluster
from testing.topology import Instance

# As the inventory has them: between servers, and for elections.
PEER, ELECTION = 2888, 3888
# Every kind of certificate that the platform issues, but that of servers for servers.
OTHERS = ("operator", "kafka1/broker", "kafka1/ensemble", "spark-master1/ensemble", "zk1/server")


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


def test_48_what_brokers_write_belongs_to_them(cluster: Cluster):
    assert configured(cluster, 1)["enforce.auth.enabled"] == "true"
    nodes = shell(cluster, 1, "ls", "-R", "/").split("\n")
    paths = [line for line in nodes if line.startswith("/") and not line.startswith("/zookeeper")]
    assert len(paths) > 30
    for path in ("/config/users", "/kafka-acl", "/config/topics", "/brokers/topics/payments"):
        rights = permissions(shell(cluster, 1, "getAcl", path))
        assert {"x509"} <= {who.partition(",")[0] for who in rights} <= {"x509", "world"}, (
            path,
            rights,
        )
        # Whoever has a certificate of this ensemble may read what is no secret.
        assert rights.get("world,anyone", "r") == "r", (path, rights)
        assert path != "/config/users" or "world,anyone" not in rights


def test_49_only_one_word_is_answered_and_everything_is_written_down(cluster: Cluster):
    for server in cluster.topology.zookeepers:
        found = configured(cluster, server)
        assert found["4lw.commands.whitelist"] == "srvr"
        assert found["admin.enableServer"] == "false"
        assert found["audit.enable"] == "true"
