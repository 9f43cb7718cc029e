"""Who is not declared does not get in, and who is gets no further than declared."""

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
    """The operator's client with some of its settings changed; an empty one is left out."""
    settings = {**access.librdkafka(), "bootstrap.servers": cluster.topology.bootstrap, **other}
    complaints: list[str] = []
    made = AdminClient(
        {
            **{key: value for key, value in settings.items() if value != ""},
            "log_level": 0,
            "error_cb": lambda error: complaints.append(error.str()),
        }
    )
    made.complaints = complaints
    return made


def assert_refused(client: AdminClient, why: str) -> None:
    """It gets no answer, and is told ``why``; a client would try for ever."""
    with pytest.raises(KafkaException):
        client.list_topics(timeout=REFUSED_SECONDS)
    client.poll(0)
    assert any(why in error for error in client.complaints) or not why, client.complaints


def handshake(place: str, *options: str) -> subprocess.CompletedProcess[str]:
    """What openssl says of a listener."""
    trusted = ("-CAfile", str(access.folder / "ca.pem"))
    return subprocess.run(
        ["openssl", "s_client", "-connect", place, *trusted, *options],
        input="", capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip


def test_the_operator_gets_in(cluster: Cluster):
    assert TOPIC in client(cluster).list_topics(timeout=SECONDS).topics


@pytest.mark.parametrize(
    ("other", "why"),
    [
        # Such connections are closed without a word.
        ({"security.protocol": "PLAINTEXT"}, ""),
        ({"security.protocol": "SSL"}, ""),
        ({"sasl.password": "wrong"}, "invalid credentials"),
        ({"sasl.username": "nobody"}, "invalid credentials"),
        # The system's own CAs have not signed the brokers' certificates.
        ({"ssl.ca.location": ""}, "certificate verify failed"),
    ],
    ids=["no TLS", "no password", "wrong password", "unknown user", "unknown CA"],
)
def test_who_cannot_prove_who_he_is_gets_no_answer(
    cluster: Cluster, other: dict[str, str], why: str
):
    assert_refused(client(cluster, **other), why)


def test_old_versions_of_tls_are_not_spoken(cluster: Cluster):
    place = cluster.topology.brokers[1].endpoint
    old = ("-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0")

    assert handshake(place, *old).returncode != 0
    assert handshake(place, "-tls1_2").returncode == 0
    assert handshake(place, "-tls1_3").returncode == 0


def test_old_ciphers_are_not_spoken(cluster: Cluster):
    place = cluster.topology.brokers[1].endpoint
    old = "ECDHE-ECDSA-AES256-SHA:ECDHE-ECDSA-AES256-SHA384:ECDHE-RSA-AES256-SHA:AES256-SHA"

    assert handshake(place, "-tls1_2", "-cipher", f"{old}:@SECLEVEL=0").returncode != 0
    assert handshake(place, "-tls1_2", "-cipher", "ECDHE+AESGCM").returncode == 0


def certificate_settings(minutes: int, folder: Path) -> dict[str, str]:
    """Settings of a client with a certificate of our CA, for the operator, of five minutes ago."""
    assert access.folder is not None
    store = Store(str(access.folder.parent / "store.vault"), VAULT_PASSWORD)
    held = read(store.read())
    leaf = Leaf(
        "operator", "operator", held.cluster, usages=("client",), days=minutes / MINUTES_A_DAY
    )
    pair = issue(leaf, held.signing, datetime.now(UTC) - timedelta(minutes=5))
    file = folder / f"{minutes}.pem"
    file.touch(mode=0o600)
    file.write_text(pair.keystore(), encoding="utf-8")
    own = {"ssl.certificate.location": str(file), "ssl.key.location": str(file)}
    no_password = {"sasl.mechanism": "", "sasl.username": "", "sasl.password": ""}
    return {"security.protocol": "SSL", **own, **no_password}


def test_who_shows_a_certificate_that_has_expired_gets_no_answer(cluster: Cluster, tmp_path: Path):
    # Brokers know each other, and the operator, by certificates; here they have no names.
    port = cluster.operator_access(1)[0].rpartition(":")[2]
    place = {"bootstrap.servers": f"{cluster.topology.brokers[1].address}:{port}"}

    current = client(cluster, **certificate_settings(60, tmp_path), **place)
    expired = client(cluster, **certificate_settings(4, tmp_path), **place)

    assert current.list_topics(timeout=SECONDS).topics
    # Brokers do not say what is wrong with it; the other one differs in nothing else.
    assert_refused(expired, "alert certificate unknown")


def test_a_broker_is_nobody_but_itself(cluster: Cluster):
    place = cluster.topology.brokers[1].endpoint

    right = handshake(place, "-verify_return_error", "-verify_ip", "127.0.0.1")
    wrong = handshake(place, "-verify_return_error", "-verify_hostname", "kafka9.example.org")

    assert right.returncode == 0, right.stdout + right.stderr
    assert wrong.returncode != 0


def test_a_user_does_what_it_is_declared_for_and_nothing_else(cluster: Cluster):
    # Declared to send payments and to read results.
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


def test_the_ensemble_answers_nobody_without_a_certificate(cluster: Cluster):
    server = cluster.topology.zookeepers[1]

    known = handshake(server.endpoint, "-cert", str(access.folder / "operator.pem"))
    plain = cluster.machine(server).run(
        "timeout 5 bash -c 'exec 3<>/dev/tcp/%s/%s; printf srvr >&3; cat <&3'",
        server.address, str(server.port),
    )  # fmt: skip

    assert "Verify return code: 0" in known.stdout
    assert "Mode:" not in plain.stdout


def test_what_brokers_keep_in_the_ensemble_is_theirs_alone(cluster: Cluster):
    broker = cluster.broker(1).name
    machine = cluster.machine(cluster.topology.brokers[1])
    server = cluster.topology.zookeepers[1].endpoint
    acl = machine.check_output(
        f"docker exec {broker} zookeeper-shell {server}"
        " -zk-tls-config-file /etc/kafka/ensemble.properties getAcl /config/users"
    )

    assert "x509" in acl
    assert "world" not in acl


def test_no_secret_is_seen_from_outside_a_container(cluster: Cluster):
    password = access.librdkafka()["sasl.password"]
    for instance in cluster.topology.instances:
        machine = cluster.machine(instance)
        seen = machine.check_output("docker inspect %s", instance.container)
        history = machine.check_output("docker top %s -eo pid,args", instance.container)
        for word in (password, "BEGIN PRIVATE KEY", "password="):
            assert word not in seen
            assert word not in history
