"""Delivery of records, and their size as a broker counts it."""

import struct

import pytest
from confluent_kafka import KafkaException
from kafka_fakes import Error, Message, Producer
from kafka_metal_client import brokers
from kafka_metal_client import delivery as on_its_way
from kafka_metal_client.delivery import Delivery
from kafka_metal_client.errors import ClientError
from kafka_metal_client.pacing import Pacer
from kafka_metal_client.sizes import Limit, batch_bytes


class Named(Error):
    """An error of librdkafka with a name."""

    def name(self):
        return self.text


def sent(delivery, *records):
    results = []
    for record in records:
        delivery.send(record, lambda reason, _: results.append(reason), lambda: None)
    while delivery.in_flight:
        delivery.poll(0)
    return results


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr(on_its_way, "RETRY_SECONDS", 0)


@pytest.mark.parametrize("name", ["UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION"])
def test_records_of_a_temporarily_unknown_topic_are_retried(name):
    producer = Producer()
    producer.fate = lambda number, _: Named(name) if number < 3 else None
    assert sent(Delivery(lambda: producer, "t", Limit()), {"key": None, "value": b"v"}) == [None]
    assert len(producer.log) == 4


@pytest.mark.parametrize(("name", "reason"), [("_UNKNOWN_TOPIC", None), ("_FATAL", "_FATAL")])
def test_records_that_the_producer_itself_refuses_are_retried_if_the_topic_is_unknown(name, reason):
    class Refusing(Producer):
        attempts = 0

        def produce(self, *args, **options):
            self.attempts += 1
            if self.attempts < 3:
                raise KafkaException(Named(name))
            super().produce(*args, **options)

    producer = Refusing()
    assert sent(Delivery(lambda: producer, "t", Limit()), {"key": None, "value": b"v"}) == [reason]
    assert producer.attempts == (3 if reason is None else 1)


def test_no_more_records_wait_for_a_retry_than_a_producer_takes(monkeypatch):
    class Refusing(Producer):
        knows_topic = False

        def produce(self, *args, **options):
            if not self.knows_topic:
                raise KafkaException(Named("_UNKNOWN_TOPIC"))
            super().produce(*args, **options)

    producer, kept, results = Refusing(), [], []
    delivery = Delivery(lambda: producer, "t", Limit())
    monkeypatch.setattr(brokers, "QUEUE_RECORDS", 3)

    def waiting():
        kept.append(delivery.in_flight)
        producer.knows_topic = True

    for number in range(10):
        record = {"value": b"%d" % number}
        delivery.send(record, lambda reason, _: results.append(reason), waiting)
    while delivery.in_flight:
        delivery.poll(0)
    assert kept[0] == 3
    assert results == [None] * 10
    assert sorted(each.value() for each in producer.log) == [b"%d" % n for n in range(10)]


def test_a_signal_ends_the_wait_for_a_record_that_is_due_much_later():
    producer, waits = Producer(), []
    producer.poll = waits.append
    delivery, pacer = Delivery(lambda: producer, "t", Limit()), Pacer(0.001, 0)
    assert delivery.wait_until_due(pacer, lambda: False)
    assert not delivery.wait_until_due(pacer, lambda: len(waits) > 3)
    assert waits[2:] == [on_its_way.POLL_SECONDS] * 2


def test_a_producer_and_its_records_for_a_retry_have_one_limit():
    settings = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(brokers, "client_of", lambda _, found: settings.update(found))
        brokers.producer("b:1", {}, 300)
    assert settings["queue.buffering.max.messages"] == brokers.QUEUE_RECORDS == 20_000


def test_a_producer_is_replaced_only_after_each_of_its_records_has_its_result(monkeypatch):
    monkeypatch.setattr(on_its_way, "RENEW_SECONDS", -1)
    producers = []

    def connect():
        assert not any(producer._waiting for producer in producers)
        producers.append(Producer())
        producers[-1].fate = lambda number, _: None
        return producers[-1]

    delivery = Delivery(connect, "t", Limit())
    assert sent(delivery, *({"value": b"%d" % n} for n in range(3))) == [None] * 3
    assert [[record.value() for record in each.log] for each in producers] == [
        [],
        [b"0"],
        [b"1"],
        [b"2"],
    ]


def test_a_producer_that_cannot_be_replaced_is_kept(monkeypatch):
    monkeypatch.setattr(on_its_way, "RENEW_SECONDS", -1)
    producer = Producer()
    producer.fate = lambda number, _: None
    connections = [producer]

    def connect():
        if not connections:
            raise ClientError("client settings: ssl.key.location")
        return connections.pop()

    delivery = Delivery(connect, "t", Limit())
    assert sent(delivery, {"value": b"a"}, {"value": b"b"}) == [None, None]
    assert [each.value() for each in producer.log] == [b"a", b"b"]


def test_a_producer_is_replaced_while_it_still_keeps_records_of_an_unknown_topic():
    # A replacement waits for each record: its retries, and its last attempt.
    last = on_its_way.RENEW_SECONDS + 2 * on_its_way.LONGEST_TIMEOUT + on_its_way.RETRY_SECONDS
    assert last < brokers.PROPAGATION_SECONDS < 2**31 / 1_000_000


def test_records_of_an_unknown_topic_fail_after_the_timeout():
    producer = Producer()
    producer.fate = lambda number, _: Named("UNKNOWN_TOPIC_OR_PART")
    results = sent(
        Delivery(lambda: producer, "t", Limit(), timeout=0.02), {"key": None, "value": b"v"}
    )
    assert results == ["UNKNOWN_TOPIC_OR_PART"]


def test_other_errors_are_not_retried():
    producer = Producer()
    producer.fate = lambda number, _: Named("TOPIC_AUTHORIZATION_FAILED")
    assert sent(Delivery(lambda: producer, "t", Limit()), {"value": b"v"}) == [
        "TOPIC_AUTHORIZATION_FAILED"
    ]
    assert len(producer.log) == 1


def test_size_limit_is_exact():
    record = {"key": b"k", "value": b"v" * 500, "headers": [("name", b"content"), ("none", None)]}
    size = batch_bytes(**record)
    producer = Producer()
    assert sent(Delivery(lambda: producer, "t", Limit(size)), record) == [None]
    (reason,) = sent(Delivery(lambda: producer, "t", Limit(size - 1)), record)
    assert reason == f"larger than the topic's max.message.bytes ({size - 1:,})"
    assert len(producer.log) == 1


def encoded(key, value, headers):
    """The bytes of a batch of one record in Kafka's format."""

    def varint(number):
        number = (number << 1) ^ (number >> 63)
        out = bytearray()
        while number > 0x7F:
            out.append(number & 0x7F | 0x80)
            number >>= 7
        out.append(number)
        return bytes(out)

    def field(content):
        return varint(-1) if content is None else varint(len(content)) + content

    body = b"\0" + varint(0) + varint(0) + field(key) + field(value) + varint(len(headers))
    body += b"".join(field(name.encode()) + field(content) for name, content in headers)
    record = varint(len(body)) + body
    head = struct.pack(">qiibIhiqqqhii", 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1)
    return head + record


@pytest.mark.parametrize("size", [None, 0, 1, 62, 63, 64, 8190, 8192, 1 << 20])
@pytest.mark.parametrize("key", [None, b"", b"k" * 63, b"k" * 64])
@pytest.mark.parametrize("headers", [[], [("ä", None), ("b", b"x" * 70)]])
def test_size_equals_kafkas_format(size, key, headers):
    value = None if size is None else b"v" * size
    assert batch_bytes(key, value, headers) == len(encoded(key, value, headers))


@pytest.mark.parametrize("size", [0, 100, 1_048_588, 5_000_000, 2_000_000_000])
def test_librdkafka_accepts_the_settings(size):
    from confluent_kafka import Producer as Real

    assert Real({"bootstrap.servers": "127.0.0.1:1", **Limit(size).settings()})


def test_message_without_content_has_a_size():
    assert batch_bytes(Message().key(), Message().value()) == len(encoded(None, None, []))
