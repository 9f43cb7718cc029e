from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError
from kafka_fakes import Message
from kafka_metal_client import brokers
from kafka_metal_client.errors import ClientError


class End:
    """The event at the end of a partition, or an error."""

    def __init__(self, partition, code=KafkaError._PARTITION_EOF):
        self._partition = partition
        self._code = code

    def partition(self):
        return self._partition

    def error(self):
        return KafkaError(self._code)


class Reader:
    """Returns one prepared batch per call, then empty ones."""

    def __init__(self, *batches):
        self._batches = list(batches)
        self.assigned = []
        self.paused = []

    def assign(self, places):
        self.assigned = [(place.partition, place.offset) for place in places]

    def pause(self, places):
        self.paused += [place.partition for place in places]

    def consume(self, count, timeout):
        return self._batches.pop(0) if self._batches else []


def at(partition, offset):
    return Message("t", partition, offset)


def read(reader, ranges, stall_timeout=0.5):
    return [
        (message.partition(), message.offset())
        for message in brokers.read_ranges(reader, "t", ranges, stall_timeout)
    ]


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(brokers, "QUIET_SECONDS", 0.05)


def test_read_ranges_returns_exactly_the_ranges():
    reader = Reader([at(0, 5), at(0, 6), at(0, 7)], [at(1, 2), at(1, 3)])
    assert read(reader, {0: (5, 6), 1: (2, 2)}) == [(0, 5), (0, 6), (1, 2)]
    assert reader.assigned == [(0, 5), (1, 2)]
    assert reader.paused == [0, 1]


def test_read_ranges_stops_at_the_end_of_a_shorter_log():
    assert read(Reader([at(0, 5), End(0)]), {0: (5, 9)}) == [(0, 5)]


def test_read_ranges_continues_when_the_end_moves():
    reader = Reader([at(0, 5), End(0)], [at(0, 6), at(0, 7)])
    assert read(reader, {0: (5, 7)}) == [(0, 5), (0, 6), (0, 7)]


def test_read_ranges_finishes_with_a_gap_at_the_end():
    assert read(Reader([at(0, 5), at(0, 9)]), {0: (5, 7)}) == [(0, 5)]


def test_read_ranges_stops_after_a_signal_although_no_record_comes():
    answers = iter([False, False, True])
    messages = brokers.read_ranges(Reader([at(0, 5)]), "t", {0: (5, 9)}, 60, lambda: next(answers))
    assert [message.offset() for message in messages] == [5]


def test_the_time_that_a_record_needs_to_be_sent_is_no_stall(monkeypatch):
    """A paced replay, or one whose target does not respond, takes the next record much later."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(brokers, "time", SimpleNamespace(monotonic=lambda: clock.now))
    messages = brokers.read_ranges(Reader([at(0, 5)], [], [at(0, 6)]), "t", {0: (5, 6)}, 0.2)
    found = []
    for message in messages:
        found.append(message.offset())
        clock.now += 0.3
    assert found == [5, 6]


def test_read_ranges_fails_after_the_stall_timeout():
    with pytest.raises(ClientError, match=r"from t-0, t-1$"):
        read(Reader([at(0, 5)]), {0: (5, 9), 1: (0, 3)}, stall_timeout=0.05)


def test_a_stall_names_the_error_of_the_broker():
    denied = End(0, KafkaError.TOPIC_AUTHORIZATION_FAILED)
    with pytest.raises(ClientError, match=r"from t-0: .*(?i:authorization failed)"):
        read(Reader([denied]), {0: (5, 9)}, stall_timeout=0.05)


def test_partitions_of_a_missing_topic_do_not_create_it():
    topics = {"payments": SimpleNamespace(partitions={1: None, 0: None})}
    client = SimpleNamespace(list_topics=lambda timeout: SimpleNamespace(topics=topics))
    assert brokers.read_partitions(client, ["payments"]) == {"payments": [0, 1]}
    with pytest.raises(ClientError, match="did you mean payments"):
        brokers.read_partitions(client, ["payment"])


def test_client_config_error_names_the_line(tmp_path):
    path = tmp_path / "client.properties"
    path.write_text("# secret\n\nsasl.username = a=b\n")
    assert brokers.read_properties(path) == {"sasl.username": "a=b"}
    path.write_text("a=1\nnonsense\n")
    with pytest.raises(ClientError, match="line 2: found 'nonsense'"):
        brokers.read_properties(path)


def test_operator_settings_take_precedence():
    config = brokers.common_config("h:1", {"socket.keepalive.enable": "false"})
    assert config["socket.keepalive.enable"] == "false"
    assert config["bootstrap.servers"] == "h:1"


def test_producer_is_idempotent_with_one_request_in_flight(monkeypatch):
    given = {}
    monkeypatch.setattr("confluent_kafka.Producer", lambda settings, **_: given.update(settings))
    brokers.producer("kafka1:9092", {}, 60)
    assert given["enable.idempotence"] is True
    assert given["max.in.flight.requests.per.connection"] == 1
