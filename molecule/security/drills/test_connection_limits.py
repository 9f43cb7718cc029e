"""Clients that use all connections of a listener do not block brokers or the operator."""

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from testing import access
from testing.cluster import Cluster
from testing.settings import Settings
from testing.waiting import NotYet, wait_for

LISTENER = "listener.name.clients.max.connections"
ADDRESS = "max.connections.per.ip"
OVERRIDES = "max.connections.per.ip.overrides"
# Limits for a heap of 640m, as in the inventory of the scenario.
SIZED = {LISTENER: "1118", ADDRESS: "559", "max.connections": "1677"}
# Fewer than the test opens, more than the platform itself has open.
FEW, FEW_OF_AN_ADDRESS = 120, 40
# The broker whose connections are used up, and the timeout of one connection in seconds.
BROKER = 1
SERVED_SECONDS = 4
# The scenario allows 50 connections a second for each address.
PAUSE_SECONDS = 0.03
TOPIC = "connection-limits"
# Timeout of a tool of Kafka, which starts a JVM.
TOOL_SECONDS = 60


@pytest.fixture
def settings(cluster: Cluster) -> Settings:
    return Settings(cluster.topology.bootstrap)


@pytest.fixture
def topic(cluster: Cluster) -> Iterator[str]:
    """A topic with a replica on every broker."""
    admin = AdminClient({**access.librdkafka(), "bootstrap.servers": cluster.topology.bootstrap})
    new = NewTopic(TOPIC, 6, replica_assignment=replicas(list(cluster.topology.brokers)))
    admin.create_topics([new])[TOPIC].result(20)
    yield TOPIC
    admin.delete_topics([TOPIC])[TOPIC].result(20)


def replicas(brokers: list[int]) -> list[list[int]]:
    """Return replicas of six partitions: brokers are preferred leaders in turn."""
    rotations = [brokers[first:] + brokers[:first] for first in range(len(brokers))]
    return [rotations[number % len(rotations)] for number in range(6)]


@contextmanager
def limited(settings: Settings, values: dict[str, str]) -> Iterator[None]:
    """Set other limits of the broker dynamically during the block."""
    before = {key: settings.of_brokers([BROKER], key)[BROKER] for key in values}
    settings.change(BROKER, values)
    try:
        yield
    finally:
        # Without a dynamic value the value of the file applies.
        settings.change(BROKER, dict.fromkeys(values))
        after = {key: settings.of_brokers([BROKER], key)[BROKER] for key in values}
        assert after == before


def served(cluster: Cluster) -> ssl.SSLSocket:
    """Return an idle TLS connection to the client listener; OSError if it is not served."""
    broker = cluster.topology.brokers[BROKER]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    plain = socket.create_connection((broker.address, broker.port), timeout=SERVED_SECONDS)
    try:
        return context.wrap_socket(plain)
    except OSError:
        plain.close()
        raise


@contextmanager
def taken(cluster: Cluster) -> Iterator[tuple[int, OSError]]:
    """Open idle connections until one fails; yield their number and the error."""
    with ExitStack() as opened:
        for count in range(FEW + 1):
            time.sleep(PAUSE_SECONDS)
            try:
                opened.enter_context(served(cluster))
            except OSError as error:
                yield count, error
                return
        raise AssertionError(f"{FEW + 1} connections are served")


def can_connect(cluster: Cluster) -> None:
    try:
        served(cluster).close()
    except OSError as error:
        raise NotYet(str(error)) from error


def produce_on_others(cluster: Cluster, topic: str) -> list[int]:
    """Produce to the partitions of other leaders with acks=all; return the acknowledged ones."""
    others = [each for number, each in cluster.topology.brokers.items() if number != BROKER]
    producer = Producer(
        {
            **access.librdkafka(),
            "bootstrap.servers": ",".join(each.endpoint for each in others),
            "acks": "all",
            "message.timeout.ms": 20_000,
            # Without messages of its attempts to connect to the full broker.
            "log_level": 0,
            "error_cb": lambda error: None,
        }
    )
    acknowledged: list[int] = []
    leaders = [assigned[0] for assigned in replicas(list(cluster.topology.brokers))]
    for partition, leader in enumerate(leaders):
        if leader != BROKER:
            producer.produce(
                topic,
                b"x",
                partition=partition,
                on_delivery=lambda error, _, at=partition: error or acknowledged.append(at),
            )
    assert producer.flush(25) == 0
    assert sorted(acknowledged) == [at for at, leader in enumerate(leaders) if leader != BROKER]
    return acknowledged


def test_limits_fit_the_heap_and_exempt_brokers(cluster: Cluster, settings: Settings):
    brokers = cluster.topology.brokers
    for key, value in SIZED.items():
        assert settings.of_brokers(brokers, key) == dict.fromkeys(brokers, value), key
    for exempt in settings.of_brokers(brokers, OVERRIDES).values():
        addresses = {each.rpartition(":")[0] for each in exempt.split(",")}
        assert {each.address for each in brokers.values()} <= addresses


def test_brokers_and_the_operator_can_connect_while_idle_clients_use_all_connections(
    cluster: Cluster, settings: Settings, topic: str
):
    with limited(settings, {LISTENER: str(FEW)}):
        with taken(cluster) as (count, error):
            # The last connection waits: none was closed.
            assert isinstance(error, TimeoutError), error
            assert 0 < count <= FEW
            # Followers on the full broker acknowledge, and its own followers are in sync.
            assert produce_on_others(cluster, topic)
            address, file = cluster.operator_access(BROKER)
            output = cluster.machine(cluster.topology.brokers[BROKER]).check_output(
                f"timeout {TOOL_SECONDS} docker exec %s kafka-topics --bootstrap-server %s "
                "--command-config %s --describe --topic %s",
                cluster.broker(BROKER).name,
                address,
                file,
                topic,
            )
            all_brokers = sorted(cluster.topology.brokers)
            in_sync = [line.split("Isr: ")[1].split()[0] for line in output.splitlines()[1:]]
            assert [sorted(map(int, each.split(","))) for each in in_sync] == [all_brokers] * 6
        wait_for("a client is served again", lambda: can_connect(cluster), seconds=20)


def test_one_address_is_refused_while_others_can_connect(cluster: Cluster, settings: Settings):
    with limited(settings, {ADDRESS: str(FEW_OF_AN_ADDRESS)}):
        with taken(cluster) as (count, error):
            assert not isinstance(error, TimeoutError), error
            assert 0 < count <= FEW_OF_AN_ADDRESS
            # The machine of the broker has another address.
            endpoint = cluster.topology.brokers[BROKER].endpoint
            answer = cluster.machine(cluster.topology.brokers[BROKER]).run(
                "echo | timeout 10 openssl s_client -connect %s -brief", endpoint
            )
            assert "Protocol version: TLSv1.3" in answer.stdout + answer.stderr
        wait_for("this address is served again", lambda: can_connect(cluster), seconds=20)
