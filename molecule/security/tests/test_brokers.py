"""Authentication and rights at brokers: points 31 to 45 of the security checklist.

See docs/operate/guides/security-checklist.md. Points 32 to 34 and 44 are tested by
molecule/shared/tests/test_client_access.py.
"""

from collections.abc import Callable
from functools import cache

import pytest
from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic
from testing import access
from testing.cluster import Cluster

SECONDS = 15
TOPIC = "payments"

Login = Callable[[str], dict[str, str]]


@pytest.fixture(scope="module")
def login(platform: Cluster) -> Login:
    """Function that returns the client settings of a declared user."""

    @cache
    def settings(user: str) -> dict[str, str]:
        more = {"bootstrap.servers": platform.topology.bootstrap, "log_level": "0"}
        return {**access.of(user), **more}

    return settings


@pytest.fixture(scope="module")
def settings(platform: Cluster) -> dict[int, dict[str, str]]:
    """Settings of every running broker, by its id."""
    admin = AdminClient({**access.librdkafka(), "bootstrap.servers": platform.topology.bootstrap})
    # One request for each broker: librdkafka sends it to the broker itself.
    asked = [ConfigResource("broker", str(broker)) for broker in platform.topology.brokers]
    answers = {each: admin.describe_configs([each])[each].result(SECONDS) for each in asked}
    return {
        int(broker.name): {key: entry.value for key, entry in found.items()}
        for broker, found in answers.items()
    }


def sent(login: dict[str, str], topic: str) -> str:
    """Send one record; return its error, or nothing."""
    outcome: list[str] = []
    producer = Producer({**login, "message.timeout.ms": SECONDS * 1000})
    producer.produce(topic, b"{}", on_delivery=lambda e, _: outcome.append(e.name() if e else ""))
    producer.flush(SECONDS)
    return outcome[0]


def read(login: dict[str, str], topic: str, group: str) -> str:
    """Read one record; return the error, or nothing."""
    consumer = Consumer({**login, "group.id": group, "auto.offset.reset": "earliest"})
    try:
        consumer.subscribe([topic])
        message = consumer.poll(SECONDS)
        return message.error().name() if message and message.error() else ""
    except KafkaException as error:
        return error.args[0].name()
    finally:
        consumer.close()


def created(login: dict[str, str], topic: str) -> str:
    """Create a topic (validation only); return the error, or nothing."""
    admin = AdminClient(login)
    try:
        admin.create_topics([NewTopic(topic, 1, 1)], validate_only=True)[topic].result(SECONDS)
    except KafkaException as error:
        return error.args[0].name()
    return ""


def altered(login: dict[str, str]) -> str:
    """Change a broker's setting (validation only); return the error, or nothing."""
    resource = ConfigResource("broker", "1", set_config={"log.cleaner.threads": "1"})
    admin = AdminClient(login)
    answer = admin.alter_configs([resource], validate_only=True)
    try:
        answer[resource].result(SECONDS)
    except KafkaException as error:
        return error.args[0].name()
    return ""


def test_31_no_listener_is_plaintext(settings: dict[int, dict[str, str]]):
    for each in settings.values():
        protocols = dict(
            pair.split(":") for pair in each["listener.security.protocol.map"].split(",")
        )
        names = {listener.partition("://")[0] for listener in each["listeners"].split(",")}
        assert {protocols[name] for name in names} == {"SASL_SSL", "SSL"}


def test_35_brokers_have_their_own_listener(settings: dict[int, dict[str, str]]):
    for each in settings.values():
        assert each["inter.broker.listener.name"] == "BROKERS"
        assert "BROKERS:SSL" in each["listener.security.protocol.map"].split(",")


def test_36_a_user_without_rights_is_denied_everything(login: Login):
    client = login("nobody")
    assert "AUTHORIZATION" in sent(client, TOPIC)
    assert "AUTHORIZATION" in read(client, TOPIC, "nobody")
    assert "AUTHORIZATION" in created(client, "mine")
    assert "AUTHORIZATION" in altered(client)


def test_37_only_brokers_and_the_operator_are_super_users(cluster: Cluster):
    super_users = {"User:broker-1", "User:broker-2", "User:broker-3", "User:operator"}
    for each in cluster.topology.brokers.values():
        # Brokers do not return the settings of their authorizer.
        file = f"/etc/kafka-metal/{each.container}/server.properties"
        lines = cluster.machine(each).file(file).content_string.splitlines()
        found = dict(line.split("=", 1) for line in lines if "=" in line)
        assert set(found["super.users"].split(";")) == super_users
        assert found["allow.everyone.if.no.acl.found"] == "false"
        assert found["authorizer.class.name"]


@pytest.mark.parametrize(
    ("user", "may_send", "may_read", "may_create"),
    [
        ("shop", True, False, False),
        ("reports", False, True, False),
        ("enrich", False, True, False),
        # Manages a topic, without access to its records.
        ("keeper", False, False, True),
    ],
)
def test_38_a_role_grants_only_its_rights(
    login: Login, user: str, may_send: bool, may_read: bool, may_create: bool
):
    client = login(user)
    assert (sent(client, TOPIC) == "") is may_send
    assert (read(client, TOPIC, user) == "") is may_read
    assert "AUTHORIZATION" not in created(client, TOPIC) or not may_create
    assert "AUTHORIZATION" in created(client, "not-declared")
    assert "AUTHORIZATION" in altered(client)


def test_39_passwords_are_salted_and_hashed_often_enough(platform: Cluster):
    client = {**access.librdkafka(), "bootstrap.servers": platform.topology.bootstrap}
    admin = AdminClient(client)
    found = admin.describe_user_scram_credentials(["shop"])["shop"].result(SECONDS)
    assert [each.iterations >= 4096 for each in found.scram_credential_infos] == [True]


def test_39_no_file_that_others_can_read_has_a_password(cluster: Cluster):
    for broker in cluster.topology.brokers.values():
        machine = cluster.machine(broker)
        folder = f"/etc/kafka-metal/{broker.container}"
        assert "password=" not in machine.file(f"{folder}/server.properties").content_string
        for name in machine.check_output("ls %s", folder).split():
            if name.endswith((".pem", "operator.json")) and name != "ca.pem":
                file = machine.file(f"{folder}/{name}")
                assert (file.mode & 0o077, file.uid) == (0, 10_001), name


def test_40_topics_are_not_created_automatically(settings: dict[int, dict[str, str]]):
    for each in settings.values():
        assert each["auto.create.topics.enable"] == "false"


def test_41_every_user_has_a_quota(cluster: Cluster):
    broker, (address, config) = cluster.topology.brokers[1], cluster.operator_access(1)
    output = cluster.machine(broker).check_output(
        "docker exec %s kafka-configs --bootstrap-server %s --command-config %s"
        " --describe --entity-type users --entity-default",
        broker.container, address, config,
    )  # fmt: skip
    assert "producer_byte_rate=5.0E7" in output
    assert "consumer_byte_rate=1.0E8" in output


def test_42_no_broker_listens_for_jmx(cluster: Cluster):
    for broker in cluster.topology.brokers.values():
        container = cluster.container(broker)
        output = container.inspect()["Config"]
        assert not [
            each for each in output["Env"] if "jmxremote" in each or each.startswith("JMX_")
        ]
        assert "jmxremote" not in cluster.machine(broker).check_output(
            "docker top %s -eo pid,args", broker.container
        )


def test_43_connections_have_to_authenticate_again(settings: dict[int, dict[str, str]]):
    for each in settings.values():
        assert int(each["listener.name.clients.connections.max.reauth.ms"]) > 0
