"""Clients that take every connection of a listener keep no broker, and not the operator, out."""

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
# What a heap of 640m is sized for, as the inventory of the scenario has it.
SIZED = {LISTENER: "1118", ADDRESS: "559", "max.connections": "1677"}
# Below what the test opens, above what the platform itself has open.
FEW, FEW_OF_AN_ADDRESS = 120, 40
# The broker whose connections are taken, and how long one may take to be served by it.
BROKER = 1
SERVED_SECONDS = 4
# The scenario allows an address 50 connections a second.
PAUSE_SECONDS = 0.03
TOPIC = "connection-limits"
# A tool of Kafka starts a JVM.
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
    """Each broker leads a partition in its turn."""
    turns = [brokers[first:] + brokers[:first] for first in range(len(brokers))]
    return [turns[number % len(turns)] for number in range(6)]


@contextmanager
def limited(settings: Settings, values: dict[str, str]) -> Iterator[None]:
    """A broker with other limits for a while, set by hand."""
    before = {key: settings.of_brokers([BROKER], key)[BROKER] for key in values}
    settings.change(BROKER, values)
    try:
        yield
    finally:
        # The value of its file is below.
        settings.change(BROKER, dict.fromkeys(values))
        after = {key: settings.of_brokers([BROKER], key)[BROKER] for key in values}
        assert after == before


def served(cluster: Cluster) -> ssl.SSLSocket:
    """An idle TLS connection to the listener of clients; raises OSError for one not served."""
    broker = cluster.topology.brokers[BROKER]
    anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anybody.check_hostname = False
    anybody.verify_mode = ssl.CERT_NONE
    plain = socket.create_connection((broker.address, broker.port), timeout=SERVED_SECONDS)
    try:
        return anybody.wrap_socket(plain)
    except OSError:
        plain.close()
        raise


@contextmanager
def taken(cluster: Cluster) -> Iterator[tuple[int, OSError]]:
    """Idle connections, as many as the broker serves: how many, and what the next one met."""
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
    """Partitions that other brokers lead and that acknowledged a record with all replicas."""
    others = [each for number, each in cluster.topology.brokers.items() if number != BROKER]
    producer = Producer(
        {
            **access.librdkafka(),
            "bootstrap.servers": ",".join(each.endpoint for each in others),
            "acks": "all",
            "message.timeout.ms": 20_000,
            # It goes on trying the broker that is full.
            "log_level": 0,
            "error_cb": lambda error: None,
        }
    )
    acknowledged: list[int] = []
    leaders = [turn[0] for turn in replicas(list(cluster.topology.brokers))]
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


def test_limits_are_those_that_the_heap_is_sized_for_and_bind_no_broker(
    cluster: Cluster, settings: Settings
):
    brokers = cluster.topology.brokers
    for key, value in SIZED.items():
        assert settings.of_brokers(brokers, key) == dict.fromkeys(brokers, value), key
    for exempt in settings.of_brokers(brokers, OVERRIDES).values():
        addresses = {each.rpartition(":")[0] for each in exempt.split(",")}
        assert {each.address for each in brokers.values()} <= addresses


def test_brokers_and_the_operator_get_in_while_idle_clients_have_every_connection(
    cluster: Cluster, settings: Settings, topic: str
):
    with limited(settings, {LISTENER: str(FEW)}):
        with taken(cluster) as (count, error):
            # Somebody waits: nothing was closed.
            assert isinstance(error, TimeoutError), error
            assert 0 < count <= FEW
            # Followers on the full broker acknowledge, and followers of it are in sync.
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
            everybody = sorted(cluster.topology.brokers)
            in_sync = [line.split("Isr: ")[1].split()[0] for line in output.splitlines()[1:]]
            assert [sorted(map(int, each.split(","))) for each in in_sync] == [everybody] * 6
        wait_for("a client is served again", lambda: can_connect(cluster), seconds=20)


def test_one_address_is_closed_out_while_others_get_in(cluster: Cluster, settings: Settings):
    with limited(settings, {ADDRESS: str(FEW_OF_AN_ADDRESS)}):
        with taken(cluster) as (count, error):
            assert not isinstance(error, TimeoutError), error
            assert 0 < count <= FEW_OF_AN_ADDRESS
            # The machine of the broker is another address.
            endpoint = cluster.topology.brokers[BROKER].endpoint
            answer = cluster.machine(cluster.topology.brokers[BROKER]).run(
                "echo | timeout 10 openssl s_client -connect %s -brief", endpoint
            )
            assert "Protocol version: TLSv1.3" in answer.stdout + answer.stderr
        wait_for("this address is served again", lambda: can_connect(cluster), seconds=20)
