"""Copies of a range of a topic in another topic."""

import signal
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError, KafkaException
from kafka_fakes import Error, Message, Producer
from kafka_metal_client import brokers, cli, commands, replay
from kafka_metal_client.delivery import Delivery
from kafka_metal_client.errors import ClientError
from kafka_metal_client.pacing import Pacer
from kafka_metal_client.progress import Progress
from kafka_metal_client.replay import Bound
from kafka_metal_client.sizes import Limit

LIMIT = Limit()

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOON_MS = 1_772_366_400_000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("earliest", Bound(name="earliest")),
        ("latest", Bound(name="latest")),
        ("17", Bound(offset=17)),
        ("2h ago", Bound(time_ms=NOON_MS - 7_200_000)),
        ("30 s ago", Bound(time_ms=NOON_MS - 30_000)),
        ("2026-03-01T12:00:00Z", Bound(time_ms=NOON_MS)),
        ("2026-03-01T13:00:00+01:00", Bound(time_ms=NOON_MS)),
    ],
)
def test_bound_is_parsed(text, found):
    assert replay.parse_bound(text, NOON) == found


@pytest.mark.parametrize(
    "text",
    [
        *("yesterday", "-1", "2h", "2026-03-01T12:00:00", ""),
        *("9" * 5_000, "99999999d ago", "9" * 30 + "s ago"),
    ],
)
def test_ambiguous_bound_is_refused(text):
    with pytest.raises(ClientError, match="allowed"):
        replay.parse_bound(text, NOON)


@pytest.mark.parametrize(
    ("requested", "found", "offset"),
    [
        (Bound(name="earliest"), -1, 100),
        (Bound(name="latest"), -1, 200),
        (Bound(offset=150), -1, 150),
        # Before the start and after the end of the log.
        (Bound(offset=5), -1, 100),
        (Bound(offset=999), -1, 200),
        (Bound(time_ms=1), 120, 120),
        # No record is that late.
        (Bound(time_ms=1), -1, 200),
    ],
)
def test_bound_is_clamped_to_the_log(requested, found, offset):
    assert replay.offset_of_bound(requested, 100, 200, found) == offset


class Leaderless:
    """A consumer of a partition without a leader. ``denied``: it cannot look up offsets at all."""

    def __init__(self, denied):
        self.denied = denied

    def get_watermark_offsets(self, *_, **__):
        if self.denied:
            raise KafkaException(KafkaError(KafkaError.LEADER_NOT_AVAILABLE))
        return 0, 9

    def offsets_for_times(self, places, **_):
        error = KafkaError(KafkaError.LEADER_NOT_AVAILABLE)
        return [SimpleNamespace(offset=-1001, error=error) for _ in places]


@pytest.mark.parametrize("denied", [True, False])
def test_offsets_that_cannot_be_read_are_no_empty_range(denied):
    bounds = Bound(time_ms=1), Bound(name="latest")
    with pytest.raises(ClientError, match=r"offsets of payments-0 cannot be read: .*(?i:leader)"):
        replay.compute_ranges(Leaderless(denied), "payments", [0], *bounds)


@pytest.mark.parametrize(
    ("target", "chosen", "message"),
    [("payments", [], "source and target"), ("copy", [7], "no partition 7; it has 3")],
)
def test_invalid_source_or_target_is_refused(target, chosen, message):
    with pytest.raises(ClientError, match=message):
        replay.check("payments", target, {"payments": [0, 1, 2]}, chosen)


def copied(monkeypatch, messages, producer, requested):
    monkeypatch.setattr(brokers, "read_ranges", lambda *_: iter(messages))
    delivery = Delivery(lambda: producer, "copy", LIMIT)
    return replay.copy_records(
        None, delivery, "payments", requested, Pacer(0, 0.0), Progress(), lambda: False
    )


def test_copy_keeps_the_record_and_adds_its_source(monkeypatch):
    producer = Producer(room=1)
    message = Message("payments", 2, 41, b"k", b"v", [("trace", b"t")], NOON_MS)

    done = copied(monkeypatch, [message, message], producer, {2: (41, 43)})

    assert (done.whole, done.sent) == (True, 2)
    first = producer.log[0]
    assert (first.topic_, first.key_, first.value_) == ("copy", b"k", b"v")
    assert first.headers_ == [("trace", b"t"), (replay.SOURCE_HEADER, b"payments-2@41")]
    assert first.timestamp_ == NOON_MS


def test_stamped_copy_has_the_current_time_and_the_time_of_its_source():
    stamped = replay.copy_arguments(
        Message(offset_=3, timestamp_=NOON_MS, headers_=[(replay.TIME_HEADER, b"1")]), "now"
    )

    # The producer replaces 0 by the current time.
    assert stamped["timestamp"] == 0
    assert stamped["headers"] == [
        (replay.SOURCE_HEADER, b"payments-0@3"),
        (replay.TIME_HEADER, str(NOON_MS).encode()),
    ]


@pytest.mark.parametrize("stamp", [["source"], []])
def test_copy_with_the_source_time_has_its_time_header(stamp):
    headers = [(replay.TIME_HEADER, b"1")]
    copy = replay.copy_arguments(Message(timestamp_=NOON_MS, headers_=headers), *stamp)

    assert (copy["timestamp"], copy["headers"][0]) == (NOON_MS, (replay.TIME_HEADER, b"1"))


def test_copy_of_a_copy_has_one_source_header(monkeypatch):
    producer = Producer()
    message = Message("copy", 0, 3, headers_=[(replay.SOURCE_HEADER, b"payments-2@41")])

    copied(monkeypatch, [message], producer, {0: (3, 4)})

    assert producer.log[0].headers_ == [(replay.SOURCE_HEADER, b"copy-0@3")]


def test_failed_record_is_counted_with_reason(monkeypatch):
    producer = Producer()
    producer.fate = lambda number, _: Error("too large") if number == 1 else None

    done = copied(monkeypatch, [Message(), Message(offset_=1)], producer, {0: (0, 2)})

    assert (done.acknowledged, done.failures, done.whole) == (1, {"too large": 1}, False)
    assert done.missing == {0: (1, 1)}


def test_too_large_record_is_counted_and_the_rest_copied(monkeypatch):
    messages = [Message(value_=b"x" * LIMIT.size, offset_=7), Message(offset_=8)]

    done = copied(monkeypatch, messages, Producer(), {0: (7, 9)})

    assert (done.acknowledged, done.requested, done.missing) == (1, 2, {0: (7, 7)})
    assert list(done.failures) == ["larger than the topic's max.message.bytes (1,048,588)"]


def connect(monkeypatch, producer, requested, read):
    reader = SimpleNamespace(close=lambda: None)
    known = {"payments": [0, 1, 2], "again": [0]}
    monkeypatch.setattr(brokers, "consumer", lambda *_: reader)
    monkeypatch.setattr(brokers, "producer", lambda *_: producer)
    monkeypatch.setattr(brokers, "read_partitions", lambda *_: known)
    monkeypatch.setattr(brokers, "read_ranges", lambda *_: read())
    monkeypatch.setattr(replay, "compute_ranges", lambda *_: (requested, 0))
    monkeypatch.setattr(commands, "settings_of", lambda *_: {})


def test_a_signal_prints_the_ranges_that_were_not_sent(monkeypatch, capsys):
    class Stopped(Producer):
        def produce(self, topic, **record):
            super().produce(topic, **record)
            if len(self.log) == 5:
                signal.raise_signal(signal.SIGTERM)

    producer = Stopped()
    producer.fate = lambda number, _: Error("too late") if number == 2 else None
    requested = {0: (0, 10), 1: (7, 9), 2: (0, 4)}
    messages = [*(Message(offset_=n) for n in range(4)), Message(partition_=1, offset_=7)]
    messages += [Message(offset_=4)]
    connect(monkeypatch, producer, requested, lambda: iter(messages))
    words = ["replay", "--bootstrap=b:1", "--source=payments", "--target=again", "--rate=1e6"]

    assert cli.main(words) == 1
    lines = capsys.readouterr().out.splitlines()
    again = "  kafka-metal replay --bootstrap b:1 --source payments --target again"
    assert lines[-8:] == [
        "4 acknowledged, 1 not",
        "payments-0: offsets 4 to 9 were not sent",
        "payments-1: offsets 8 to 8 were not sent",
        "payments-2: offsets 0 to 3 were not sent",
        "fix the cause, then run these (acknowledged records in between are sent twice):",
        f"{again} --partition 0 --stamp source --from 2 --until 10 --rate 1000000.0",
        f"{again} --partition 1 --stamp source --from 8 --until 9 --rate 1000000.0",
        f"{again} --partition 2 --stamp source --from 0 --until 4 --rate 1000000.0",
    ]


def test_offsets_without_record_are_not_missing(monkeypatch):
    """Compaction and transaction markers leave gaps in the offsets."""
    done = copied(monkeypatch, [Message(offset_=9)], Producer(), {0: (0, 10)})
    assert (done.requested, done.whole) == (1, True)


STALL = "no record was read for 60 s from payments-0"


def test_a_source_that_stalls_after_records_were_sent_prints_the_rest(monkeypatch, capsys):
    def read():
        yield from (Message(offset_=n) for n in range(3))
        raise ClientError(STALL)

    connect(monkeypatch, Producer(), {0: (0, 10), 1: (0, 0)}, read)

    assert cli.main(["replay", "--bootstrap=b:1", "--source=payments", "--target=again"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-6].startswith("sent 3 to again, acknowledged 3 in ")
    assert lines[-5:] == [
        f"stopped: {STALL}",
        "3 acknowledged, 0 not",
        "payments-0: offsets 3 to 9 were not sent",
        "when all partitions of the source have a leader again (make status), run:",
        "  kafka-metal replay --bootstrap b:1 --source payments --target again --partition 0 "
        "--stamp source --from 3 --until 10",
    ]


def test_a_source_that_stalls_before_the_first_record_sends_nothing(monkeypatch, capsys):
    def read():
        raise ClientError(STALL)
        yield

    connect(monkeypatch, Producer(), {0: (0, 10)}, read)

    assert cli.main(["replay", "--bootstrap=b:1", "--source=payments", "--target=again"]) == 2
    assert STALL in capsys.readouterr().err
