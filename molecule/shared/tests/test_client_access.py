"""Only declared clients can connect, with no more rights than declared."""

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._security.pki.leaf import Leaf, issue
from ansible_collections.metal.kafka.plugins.plugin_utils._security.store_document import read
from ansible_collections.metal.kafka.plugins.plugin_utils._security.vault_store import Store
from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic
from testing import access
from testing.cluster import Cluster
from testing.streams import TOPIC

SECONDS = 10
REFUSED_SECONDS = 3
MINUTES_A_DAY = 24 * 60
VAULT_PASSWORD = "~/.config/kafka-metal/vault-password"


def client(cluster: Cluster, **other: str) -> AdminClient:
    """Return the operator's client with changed settings; an empty value removes a setting."""
    settings = {**access.librdkafka(), "bootstrap.servers": cluster.topology.bootstrap, **other}
    errors: list[str] = []
    made = AdminClient(
        {
            **{key: value for key, value in settings.items() if value != ""},
            "log_level": 0,
            "error_cb": lambda error: errors.append(error.str()),
        }
    )
    made.errors = errors
    return made


def assert_refused(client: AdminClient, why: str) -> None:
    """Assert that a client cannot connect, with ``why`` among its errors; it retries forever."""
    with pytest.raises(KafkaException):
        client.list_topics(timeout=REFUSED_SECONDS)
    client.poll(0)
    assert any(why in error for error in client.errors) or not why, client.errors


def handshake(endpoint: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Return the result of `openssl s_client` on a listener."""
    trusted = ("-CAfile", str(access.folder / "ca.pem"))
    return subprocess.run(
        ["openssl", "s_client", "-connect", endpoint, *trusted, *options],
        input="", capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip


def test_the_operator_can_connect(cluster: Cluster):
    assert TOPIC in client(cluster).list_topics(timeout=SECONDS).topics


@pytest.mark.parametrize(
    ("other", "why"),
    [
        # Such connections are closed without an error message.
        ({"security.protocol": "PLAINTEXT"}, ""),
        ({"security.protocol": "SSL"}, ""),
        ({"sasl.password": "wrong"}, "invalid credentials"),
        ({"sasl.username": "nobody"}, "invalid credentials"),
        # The system's own CAs have not signed the brokers' certificates.
        ({"ssl.ca.location": ""}, "certificate verify failed"),
    ],
    ids=["no TLS", "no password", "wrong password", "unknown user", "unknown CA"],
)
def test_a_client_without_valid_credentials_is_refused(
    cluster: Cluster, other: dict[str, str], why: str
):
    assert_refused(client(cluster, **other), why)


def test_old_versions_of_tls_are_refused(cluster: Cluster):
    endpoint = cluster.topology.brokers[1].endpoint
    old = ("-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0")

    assert handshake(endpoint, *old).returncode != 0
    assert handshake(endpoint, "-tls1_2").returncode == 0
    assert handshake(endpoint, "-tls1_3").returncode == 0


def test_old_ciphers_are_refused(cluster: Cluster):
    endpoint = cluster.topology.brokers[1].endpoint
    old = "ECDHE-ECDSA-AES256-SHA:ECDHE-ECDSA-AES256-SHA384:ECDHE-RSA-AES256-SHA:AES256-SHA"

    assert handshake(endpoint, "-tls1_2", "-cipher", f"{old}:@SECLEVEL=0").returncode != 0
    assert handshake(endpoint, "-tls1_2", "-cipher", "ECDHE+AESGCM").returncode == 0


def certificate_settings(minutes: int, folder: Path) -> dict[str, str]:
    """Return settings with an operator's certificate, issued 5 minutes ago for ``minutes``."""
    assert access.folder is not None
    store = Store(str(access.folder.parent / "store.vault"), VAULT_PASSWORD)
    content = read(store.read())
    leaf = Leaf(
        "operator", "operator", content.cluster, usages=("client",), days=minutes / MINUTES_A_DAY
    )
    pair = issue(leaf, content.signing, datetime.now(UTC) - timedelta(minutes=5))
    file = folder / f"{minutes}.pem"
    file.touch(mode=0o600)
    file.write_text(pair.keystore(), encoding="utf-8")
    own = {"ssl.certificate.location": str(file), "ssl.key.location": str(file)}
    no_password = {"sasl.mechanism": "", "sasl.username": "", "sasl.password": ""}
    return {"security.protocol": "SSL", **own, **no_password}


def test_a_client_with_an_expired_certificate_is_refused(cluster: Cluster, tmp_path: Path):
    # This listener authenticates by certificates. The tests cannot resolve the brokers' names.
    port = cluster.operator_access(1)[0].rpartition(":")[2]
    endpoint = {"bootstrap.servers": f"{cluster.topology.brokers[1].address}:{port}"}

    current = client(cluster, **certificate_settings(60, tmp_path), **endpoint)
    expired = client(cluster, **certificate_settings(4, tmp_path), **endpoint)

    assert current.list_topics(timeout=SECONDS).topics
    # Brokers do not report the cause; the two certificates differ only in their expiry.
    assert_refused(expired, "alert certificate unknown")


def test_a_broker_s_certificate_has_only_its_own_names(cluster: Cluster):
    endpoint = cluster.topology.brokers[1].endpoint

    right = handshake(endpoint, "-verify_return_error", "-verify_ip", "127.0.0.1")
    wrong = handshake(endpoint, "-verify_return_error", "-verify_hostname", "kafka9.example.org")

    assert right.returncode == 0, right.stdout + right.stderr
    assert wrong.returncode != 0


def test_a_user_has_only_its_declared_rights(cluster: Cluster):
    # The roles of `demo`: it may produce payments and consume results.
    settings = {
        **access.of("demo"),
        "bootstrap.servers": cluster.topology.bootstrap,
        "log_level": 0,
    }
    outcome: list[object] = []

    producer = Producer(settings)
    for topic in (TOPIC, "payment_metrics"):
        producer.produce(topic, b"{}", on_delivery=lambda error, _: outcome.append(error))
        producer.flush(SECONDS)
    admin = AdminClient(settings)
    created = admin.create_topics([NewTopic("not-mine", 1, 1)])["not-mine"]
    cluster_wide = admin.describe_configs([ConfigResource("broker", "1")])

    assert outcome[0] is None
    assert "AUTHORIZATION" in str(outcome[1]).upper()
    with pytest.raises(KafkaException, match=r"(?i)authoriz"):
        created.result(SECONDS)
    with pytest.raises(KafkaException, match=r"(?i)authoriz"):
        next(iter(cluster_wide.values())).result(SECONDS)


def test_zookeeper_refuses_clients_without_a_certificate(cluster: Cluster):
    server = cluster.topology.zookeepers[1]

    known = handshake(server.endpoint, "-cert", str(access.folder / "operator.pem"))
    plain = cluster.machine(server).run(
        "timeout 5 bash -c 'exec 3<>/dev/tcp/%s/%s; printf srvr >&3; cat <&3'",
        server.address, str(server.port),
    )  # fmt: skip

    assert "Verify return code: 0" in known.stdout
    assert "Mode:" not in plain.stdout


def test_only_brokers_can_read_the_users_in_zookeeper(cluster: Cluster):
    broker = cluster.broker(1).name
    machine = cluster.machine(cluster.topology.brokers[1])
    server = cluster.topology.zookeepers[1].endpoint
    acl = machine.check_output(
        f"docker exec {broker} zookeeper-shell {server}"
        " -zk-tls-config-file /etc/kafka/ensemble.properties getAcl /config/users"
    )

    assert "x509" in acl
    assert "world" not in acl


def test_no_secret_is_visible_outside_a_container(cluster: Cluster):
    password = access.librdkafka()["sasl.password"]
    for instance in cluster.topology.instances:
        machine = cluster.machine(instance)
        inspected = machine.check_output("docker inspect %s", instance.container)
        processes = machine.check_output("docker top %s -eo pid,args", instance.container)
        for text in (password, "BEGIN PRIVATE KEY", "password="):
            assert text not in inspected
            assert text not in processes
