import io
from datetime import UTC, datetime

import pytest
from kafka_fakes import Error, Message, Producer
from kafka_metal_client import brokers
from kafka_metal_client.delivery import Delivery
from kafka_metal_client.errors import ClientError
from kafka_metal_client.pacing import Pacer
from kafka_metal_client.progress import Progress
from kafka_metal_client.sizes import Limit
from kafka_metal_reconciliation.ledger import Ledger
from kafka_metal_reconciliation.payments import MALFORMED, payments, plan_kinds
from kafka_metal_reconciliation.send import Sender, finish
from kafka_metal_reconciliation.verify import compare

COUNT = 400
KINDS = plan_kinds(COUNT, 0.1, 0.1, seed=3)


def run(producer, stopped=lambda: False):
    delivery = Delivery(lambda: producer, "payments", Limit())
    sender = Sender(delivery, Ledger("r1", "payments", 3, COUNT), Progress(io.StringIO()))
    sender.send(payments("r1", KINDS, 3, lambda: datetime.now(UTC)), Pacer(rate=0, now=0), stopped)
    return sender


def end(sender, producer, monkeypatch):
    """Finish with a reader of the producer's log."""
    monkeypatch.setattr(
        "kafka_metal_reconciliation.send._ends",
        lambda reader, ledger: dict.fromkeys(range(producer.partitions), COUNT),
    )
    monkeypatch.setattr(
        brokers, "read_ranges", lambda reader, topic, ranges, stall_timeout: iter(producer.log)
    )
    finish(sender, None, stall_timeout=1)
    return sender.ledger


def test_acknowledged_records_are_in_the_ledger(monkeypatch):
    producer = Producer(room=16)
    ledger = end(run(producer), producer, monkeypatch)
    assert (ledger.sent, ledger.acknowledged, ledger.failed) == (COUNT, COUNT, 0)
    assert ledger.kinds()["fraud"] == 40
    assert sum(ledger.kinds()[kind] for kind in MALFORMED) == 40
    numbers = {(message.partition(), message.offset()): n for n, message in enumerate(producer.log)}
    assert all(KINDS[numbers[place]] == kind for place, kind in ledger.expected().items())
    assert compare(ledger, producer.log).ok


def test_failed_records_are_counted_by_reason(monkeypatch):
    producer = Producer()
    producer.fate = lambda number, message: Error("timed out") if number in (3, 50) else None
    ledger = end(run(producer), producer, monkeypatch)
    assert (ledger.acknowledged, ledger.failed) == (COUNT - 2, 2)
    assert ledger.failures["timed out"].sequences == [3, 50]


def forget_offset(number, message):
    if number == 17:
        message.offset_ = -1


def test_record_without_offset_is_found_by_its_headers(monkeypatch):
    producer = Producer()
    producer.fate = forget_offset
    sender = run(producer)
    producer.log[17].offset_ = 8
    ledger = end(sender, producer, monkeypatch)
    assert ledger.acknowledged == COUNT
    assert ledger.expected()[1, 8] == KINDS[17]


def test_missing_record_without_offset_is_a_failure(monkeypatch):
    producer = Producer()
    producer.fate = forget_offset
    sender = run(producer)
    del producer.log[17]
    ledger = end(sender, producer, monkeypatch)
    assert (ledger.acknowledged, ledger.failed) == (COUNT - 1, 1)


def test_ledger_is_complete_if_brokers_stop_after_the_last_acknowledgement(monkeypatch):
    def no_broker(reader, ledger):
        raise ClientError("no broker answered")

    producer = Producer()
    sender = run(producer)
    monkeypatch.setattr("kafka_metal_reconciliation.send._ends", no_broker)
    finish(sender, None, stall_timeout=1)
    assert (sender.ledger.acknowledged, sender.ledger.failed) == (COUNT, 0)
    assert [part.end for part in sender.ledger.partitions.values()] == [COUNT // 2] * 2


def test_signal_ends_the_run(monkeypatch):
    producer = Producer()
    answers = iter([False] * 100 + [True])
    ledger = end(run(producer, stopped=lambda: next(answers)), producer, monkeypatch)
    assert (ledger.sent, ledger.acknowledged, ledger.requested) == (100, 100, COUNT)


def ledger_and_log(monkeypatch):
    producer = Producer()
    return end(run(producer), producer, monkeypatch), producer.log


def lose(log):
    del log[10]


def replace(log):
    log[10].value_ = b"something else"


def repeat(log):
    original = log[10]
    log.append(Message("payments", 0, 999, original.key_, original.value_, original.headers_))


@pytest.mark.parametrize(
    ("damage", "lost", "replaced", "duplicates"),
    [(lose, 1, 0, 0), (replace, 0, 1, 0), (repeat, 0, 0, 1)],
)
def test_damaged_log_is_detected(monkeypatch, damage, lost, replaced, duplicates):
    ledger, log = ledger_and_log(monkeypatch)
    damage(log)
    result = compare(ledger, log)
    assert not result.ok
    found = (len(result.lost), len(result.replaced), result.duplicates)
    assert found == (lost, replaced, duplicates)


def test_message_names_place_of_a_lost_record(monkeypatch):
    ledger, log = ledger_and_log(monkeypatch)
    lose(log)
    result = compare(ledger, log)
    assert result.messages()[-1] == "1 acknowledged records are LOST: partition 0 offset 5"
    assert result.to_json()["lost_offsets"] == {"0": [[5, 5]]}


def test_other_and_failed_records_are_not_duplicates(monkeypatch):
    ledger, log = ledger_and_log(monkeypatch)
    headers = [("kafka-metal.run", b"r1"), ("kafka-metal.sequence", b"9999")]
    log.append(Message(partition_=0, offset_=990, headers_=headers))
    log.append(Message(partition_=0, offset_=991, key_=b"k", value_=b"foreign"))
    result = compare(ledger, log)
    assert result.ok
    assert result.unacknowledged == 1
