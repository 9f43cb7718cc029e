"""What a broker asks of those who come: points 31 to 45 of docs/operate/guides/security-checklist.md.

Who gets in at all is proven by molecule/shared/tests/test_who_gets_in.py (32 to 34, 44).
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
    """Settings of a client that comes in as one of the declared users."""

    @cache
    def settings(user: str) -> dict[str, str]:
        more = {"bootstrap.servers": platform.topology.bootstrap, "log_level": "0"}
        return {**access.of(user), **more}

    return settings


@pytest.fixture(scope="module")
def settings(platform: Cluster) -> dict[int, dict[str, str]]:
    """Settings of every broker as it runs, by its id."""
    admin = AdminClient({**access.librdkafka(), "bootstrap.servers": platform.topology.bootstrap})
    # One at a time: librdkafka asks the broker itself.
    asked = [ConfigResource("broker", str(broker)) for broker in platform.topology.brokers]
    answers = {each: admin.describe_configs([each])[each].result(SECONDS) for each in asked}
    return {
        int(broker.name): {key: entry.value for key, entry in found.items()}
        for broker, found in answers.items()
    }


def sent(login: dict[str, str], topic: str) -> str:
    """What became of one record: nothing, or the error."""
    outcome: list[str] = []
    producer = Producer({**login, "message.timeout.ms": SECONDS * 1000})
    producer.produce(topic, b"{}", on_delivery=lambda e, _: outcome.append(e.name() if e else ""))
    producer.flush(SECONDS)
    return outcome[0]


def read(login: dict[str, str], topic: str, group: str) -> str:
    """What became of an attempt to read: nothing, or the error."""
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
    """What became of a new topic, which is only validated."""
    admin = AdminClient(login)
    try:
        admin.create_topics([NewTopic(topic, 1, 1)], validate_only=True)[topic].result(SECONDS)
    except KafkaException as error:
        return error.args[0].name()
    return ""


def altered(login: dict[str, str]) -> str:
    """What became of a change of a broker's settings, which is only validated."""
    resource = ConfigResource("broker", "1", set_config={"log.cleaner.threads": "1"})
    admin = AdminClient(login)
    answer = admin.alter_configs([resource], validate_only=True)
    try:
        answer[resource].result(SECONDS)
    except KafkaException as error:
        return error.args[0].name()
    return ""


def test_31_no_listener_is_plain(settings: dict[int, dict[str, str]]):
    for each in settings.values():
        protocols = dict(
            pair.split(":") for pair in each["listener.security.protocol.map"].split(",")
        )
        names = {listener.partition("://")[0] for listener in each["listeners"].split(",")}
        assert {protocols[name] for name in names} == {"SASL_SSL", "SSL"}


def test_35_brokers_speak_on_a_listener_of_their_own(settings: dict[int, dict[str, str]]):
    for each in settings.values():
        assert each["inter.broker.listener.name"] == "BROKERS"
        assert "BROKERS:SSL" in each["listener.security.protocol.map"].split(",")


def test_36_who_is_allowed_nothing_can_do_nothing(login: Login):
    client = login("nobody")
    assert "AUTHORIZATION" in sent(client, TOPIC)
    assert "AUTHORIZATION" in read(client, TOPIC, "nobody")
    assert "AUTHORIZATION" in created(client, "mine")
    assert "AUTHORIZATION" in altered(client)


def test_37_nobody_is_above_acls_but_brokers_and_the_operator(cluster: Cluster):
    above = {"User:broker-1", "User:broker-2", "User:broker-3", "User:operator"}
    for each in cluster.topology.brokers.values():
        # A broker shows nobody the settings of its authorizer.
        file = f"/etc/kafka-metal/{each.container}/server.properties"
        lines = cluster.machine(each).file(file).content_string.splitlines()
        found = dict(line.split("=", 1) for line in lines if "=" in line)
        assert set(found["super.users"].split(";")) == above
        assert found["allow.everyone.if.no.acl.found"] == "false"
        assert found["authorizer.class.name"]


@pytest.mark.parametrize(
    ("user", "may_send", "may_read", "may_create"),
    [
        ("shop", True, False, False),
        ("reports", False, True, False),
        ("enrich", False, True, False),
        # Looks after a topic, and sees none of its records.
        ("keeper", False, False, True),
    ],
)
def test_38_a_role_allows_its_work_and_nothing_else(
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


def test_39_no_password_stands_in_a_file_that_others_read(cluster: Cluster):
    for broker in cluster.topology.brokers.values():
        machine = cluster.machine(broker)
        folder = f"/etc/kafka-metal/{broker.container}"
        assert "password=" not in machine.file(f"{folder}/server.properties").content_string
        for name in machine.check_output("ls %s", folder).split():
            if name.endswith((".pem", "operator.json")) and name != "ca.pem":
                file = machine.file(f"{folder}/{name}")
                assert (file.mode & 0o077, file.uid) == (0, 10_001), name


def test_40_a_topic_exists_because_somebody_declared_it(settings: dict[int, dict[str, str]]):
    for each in settings.values():
        assert each["auto.create.topics.enable"] == "false"


def test_41_everybody_has_a_quota(cluster: Cluster):
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


def test_43_who_is_taken_away_does_not_stay_for_ever(settings: dict[int, dict[str, str]]):
    for each in settings.values():
        assert int(each["listener.name.clients.connections.max.reauth.ms"]) > 0
