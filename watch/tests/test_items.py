"""Each item is read, or has a reason; slow and failed items affect no other item."""

import threading
import time
from concurrent.futures import Future
from contextlib import ExitStack
from socket import create_server

import pytest
from confluent_kafka import KafkaError, KafkaException
from kafka_metal_watch import cluster, items
from kafka_metal_watch.cli import DEFAULTS
from kafka_metal_watch.cluster import Kafka
from kafka_metal_watch.items import in_parallel, requested
from kafka_metal_watch.remote_reads import read_remote


def future(value=None, error=None):
    result = Future()
    if error:
        result.set_exception(error)
    else:
        result.set_result(value)
    return result


def test_a_failed_request_affects_no_other():
    moved = KafkaException(KafkaError(KafkaError.NOT_COORDINATOR))
    futures = {"a": future(1), "b": future(error=moved), "c": future(3)}

    read = requested(futures, futures.__getitem__, str, 1.0)

    assert read.found == {"a": "1", "c": "3"}
    assert read.unread == {"b": "Broker: Not coordinator"}


def test_a_request_that_never_ends_is_named(monkeypatch):
    monkeypatch.setattr(items, "MARGIN_S", 0.0)

    read = requested(["a"], lambda _: Future(), str, 0.01)

    assert read.unread == {"a": "no response within 0 s"}


def test_a_batch_of_requests_that_never_end_has_one_limit(monkeypatch):
    monkeypatch.setattr(items, "MARGIN_S", 0.0)
    started = time.monotonic()

    read = requested(range(20), lambda _: Future(), str, 0.2)

    assert time.monotonic() - started < 2
    assert len(read.unread) == 20


def test_a_request_that_cannot_be_sent_affects_no_other():
    def request(name):
        if name == "b":
            raise KafkaException(KafkaError(KafkaError._FATAL))
        return future(1)

    read = requested("abc", request, int, 0.1)

    assert read.found == {"a": 1, "c": 1}
    assert list(read.unread) == ["b"]


class Admin:
    """Requests that never end."""

    def list_consumer_groups(self, **_):
        return Future()

    def list_offsets(self, wanted, **_):
        return {each: Future() for each in wanted}


@pytest.mark.parametrize(
    "read",
    [Kafka.groups, lambda kafka: kafka.ends([("t", 0), ("t", 1)])],
)
def test_requests_of_the_whole_cluster_have_a_limit(monkeypatch, read):
    monkeypatch.setattr(items, "MARGIN_S", 0.0)
    monkeypatch.setattr(cluster, "MARGIN_S", 0.0)
    monkeypatch.setattr(cluster, "TIMEOUT_S", 0.1)
    kafka = object.__new__(Kafka)
    kafka._admin = Admin()

    with pytest.raises(KafkaException) as error:
        read(kafka)

    assert items.reason(error.value) == "no response within 0 s"


@pytest.mark.parametrize("dead", [200, items.THREADS + 10])
def test_dead_endpoints_affect_no_others(dead):
    reads = {number: lambda: time.sleep(0.3) for number in range(dead)}

    read = in_parallel({**reads, "good": lambda: "value"}, 0.35)

    assert read.found["good"] == "value"


def test_requests_are_sent_before_the_first_result_is_awaited():
    sent = []

    def request(name):
        sent.append(name)
        result = Future()
        if len(sent) == 3:
            for each in waiting:
                each.set_result(1)
            result.set_result(1)
        else:
            waiting.append(result)
        return result

    waiting = []
    assert len(requested("abc", request, int, 0.1).found) == 3


def test_reads_that_hang_end_with_the_common_limit():
    released = threading.Event()
    reads = {number: lambda: released.wait(30) for number in range(12)}
    started = time.monotonic()

    def failing():
        raise ValueError("broken")

    read = in_parallel({**reads, "good": lambda: "value", "bad": failing}, 0.3)

    released.set()
    assert time.monotonic() - started < 3
    assert read.found == {"good": "value"}
    assert read.unread == {
        **dict.fromkeys(range(12), "no response within 0 s"),
        "bad": "broken",
    }


def test_dead_endpoints_are_read_in_parallel_and_named():
    """Twelve endpoints that accept connections and never respond, as behind a firewall."""
    with ExitStack() as stack:
        servers = [stack.enter_context(create_server(("127.0.0.1", 0))) for _ in range(12)]
        ends = [f"127.0.0.1:{each.getsockname()[1]}" for each in servers]
        config = {
            **DEFAULTS["exporter"],
            "certificates": ends[:4],
            "pipelines": {f"p{number}": end for number, end in enumerate(ends[4:8])},
            "masters": {f"m{number}": end for number, end in enumerate(ends[8:])},
            "ca_file": None,
        }
        started = time.monotonic()
        found = read_remote(config, limit=1.0)
        taken = time.monotonic() - started

    assert taken < 5
    assert found.certificates == {}
    assert found.pipelines == {f"p{number}": None for number in range(4)}
    assert found.masters == {f"m{number}": None for number in range(4)}
    # Pipelines and masters have metrics of their own.
    assert found.unread == {("certificate", end): "no response within 1 s" for end in ends[:4]}


def test_a_listener_without_certificate_is_named():
    with create_server(("127.0.0.1", 0)) as taken:
        end = f"127.0.0.1:{taken.getsockname()[1]}"
    config = {**DEFAULTS["exporter"], "certificates": [end], "ca_file": None}

    assert read_remote(config).unread == {
        ("certificate", end): "no response, or no certificate of the CA"
    }
