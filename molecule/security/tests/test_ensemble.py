"""Access to ZooKeeper: points 46 to 49 of docs/operate/guides/security-checklist.md.

Clients without a certificate are tested by molecule/shared/tests/test_client_access.py.
"""

import re
from urllib.parse import unquote

import pytest
from testing import access, observer
from testing.cluster import Cluster
from testing.keys import Keys
from testing.topology import Instance

# Ports of the inventory: between servers, and for elections.
PEER, ELECTION = 2888, 3888
# Every kind of certificate that the platform issues, except the one between servers.
OTHERS = ("operator", "kafka/broker", "kafka/ensemble", "spark-master/ensemble", "zk/server")


def leader(cluster: Cluster) -> Instance:
    """Return the leading server."""
    return cluster.topology.zookeepers[cluster.zookeeper_leader()]


def shell(cluster: Cluster, server: int, *words: str) -> str:
    """Return the output of ZooKeeper's shell in a broker's container."""
    broker = cluster.topology.brokers[1]
    return cluster.machine(broker).check_output(
        "docker exec %s zookeeper-shell %s -zk-tls-config-file /etc/kafka/ensemble.properties "
        + " ".join(words),
        broker.container, cluster.topology.zookeepers[server].endpoint,
    )  # fmt: skip


def configured(cluster: Cluster, server: int) -> dict[str, str]:
    """Return the keys in a server's zoo.cfg."""
    instance = cluster.topology.zookeepers[server]
    path = f"/etc/kafka-metal/{instance.container}/zoo.cfg"
    lines = cluster.machine(instance).file(path).content_string.splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def acls(cluster: Cluster, paths: list[str]) -> dict[str, dict[str, str]]:
    """Return the rights of each znode, read by a broker in one session of ZooKeeper's shell."""
    broker = cluster.topology.brokers[1]
    output = cluster.machine(broker).check_output(
        "printf '%%b' %s | docker exec -i %s zookeeper-shell %s "
        "-zk-tls-config-file /etc/kafka/ensemble.properties 2>&1",
        "".join(f"version\\ngetAcl {path}\\n" for path in paths) + "quit\\n",
        broker.container, cluster.topology.zookeepers[1].endpoint,
    )  # fmt: skip
    answers = output.split("ZooKeeper CLI version")[1:]
    assert len(answers) == len(paths), output[-2000:]
    return {path: permissions(answer) for path, answer in zip(paths, answers, strict=True)}


def permissions(acl: str) -> dict[str, str]:
    """Return rights by scheme and identity; `getAcl` prints two lines for each."""
    # The shell writes a comma in an identity as %2C.
    found = re.findall(r"^'(\w+),'(\S+)\n: (\w+)$", unquote(acl), re.MULTILINE)
    return {f"{scheme},{identity}": rights for scheme, identity, rights in found}


def test_46_only_servers_can_join_the_quorum(cluster: Cluster, keys: Keys):
    """A leader sends every znode to an observer, regardless of ACLs."""
    server, ca = leader(cluster), access.folder / "ca.pem"

    # A client with a server's key gets the tree; with any other key it is refused.
    assert observer.tree_sent(server.address, PEER, ca, keys("zk/quorum"))
    for kind in (*OTHERS, None):
        with pytest.raises(observer.Refused):
            observer.tree_sent(server.address, PEER, ca, keys(kind) if kind else None)


def test_46_only_servers_can_vote(cluster: Cluster, keys: Keys):
    ca = access.folder / "ca.pem"
    for server in cluster.topology.zookeepers.values():
        assert observer.election_accepts(server.address, ELECTION, ca, keys("zk/quorum"))
        for kind in (*OTHERS, None):
            own = keys(kind) if kind else None
            assert not observer.election_accepts(server.address, ELECTION, ca, own), kind


def test_46_a_quorum_key_is_refused_at_the_client_port(cluster: Cluster, keys: Keys):
    server, ca = cluster.topology.zookeepers[1], access.folder / "ca.pem"

    assert observer.accepts_client(server.address, server.port, ca, keys("kafka/ensemble"))
    assert not observer.accepts_client(server.address, server.port, ca, keys("zk/quorum"))
    assert not observer.accepts_client(server.address, server.port, ca, None)


def test_47_there_is_no_plaintext_port_and_servers_use_tls(cluster: Cluster):
    for server in cluster.topology.zookeepers:
        found = configured(cluster, server)
        assert "clientPort" not in found
        assert found["secureClientPort"] == "2181"
        assert found["sslQuorum"] == "true"


def test_48_only_brokers_or_spark_masters_can_write_a_znode(cluster: Cluster):
    assert configured(cluster, 1)["enforce.auth.enabled"] == "true"
    output = shell(cluster, 1, "ls", "-R", "/").split("\n")
    paths = [line for line in output if line.startswith("/")]
    assert len(paths) > 30
    cluster_name = cluster.topology.cluster
    brokers, masters = (f"x509,CN={who},O={cluster_name}" for who in ("brokers", "spark-masters"))
    of_spark = f"/kafka-metal/spark/{cluster_name}"
    parts = [of_spark, f"{of_spark}/leader_election", f"{of_spark}/master_status"]
    assert set(parts) <= set(paths)
    # Masters create znodes below with open ACLs; no other client can list or create them.
    paths = [each for each in paths if each in parts or not each.startswith(f"{of_spark}/")]

    found = acls(cluster, paths)

    for path, rights in found.items():
        # Any client with a certificate may read znodes without secrets, and nothing else.
        assert rights.pop("world,anyone", "r") == "r", (path, rights)
        writers = {who for who, letters in rights.items() if set(letters) & set("cdw")}
        if path == "/zookeeper/config":
            # Written by the servers themselves.
            assert writers == set()
        else:
            assert writers == {masters if path in parts else brokers}, (path, rights)
    assert "world,anyone" not in permissions(shell(cluster, 1, "getAcl", "/config/users"))


def test_49_only_srvr_is_allowed_and_the_audit_log_is_on(cluster: Cluster):
    for server in cluster.topology.zookeepers:
        found = configured(cluster, server)
        assert found["4lw.commands.whitelist"] == "srvr"
        assert found["admin.enableServer"] == "false"
        assert found["audit.enable"] == "true"
