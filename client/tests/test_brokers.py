from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError
from kafka_fakes import Message
from kafka_metal_client import brokers
from kafka_metal_client.errors import ClientError


class End:
    """The notice that a partition's end was reached."""

    def __init__(self, partition):
        self._partition = partition

    def partition(self):
        return self._partition

    def error(self):
        return KafkaError(KafkaError._PARTITION_EOF)


class Reader:
    """Hands out one prepared batch per call, then nothing."""

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


def test_exactly_the_range_of_each_partition_is_read():
    reader = Reader([at(0, 5), at(0, 6), at(0, 7)], [at(1, 2), at(1, 3)])
    assert read(reader, {0: (5, 6), 1: (2, 2)}) == [(0, 5), (0, 6), (1, 2)]
    assert reader.assigned == [(0, 5), (1, 2)]
    assert reader.paused == [0, 1]


def test_a_log_that_ends_early_ends_the_reading():
    assert read(Reader([at(0, 5), End(0)]), {0: (5, 9)}) == [(0, 5)]


def test_an_end_that_moves_on_is_no_end():
    reader = Reader([at(0, 5), End(0)], [at(0, 6), at(0, 7)])
    assert read(reader, {0: (5, 7)}) == [(0, 5), (0, 6), (0, 7)]


def test_a_gap_in_the_offsets_at_the_end_of_the_range_does_not_hold_it_up():
    assert read(Reader([at(0, 5), at(0, 9)]), {0: (5, 7)}) == [(0, 5)]


def test_silence_is_an_error_that_names_the_partitions():
    with pytest.raises(ClientError, match=r"from t-0, t-1$"):
        read(Reader([at(0, 5)]), {0: (5, 9), 1: (0, 3)}, stall_timeout=0.05)


def test_a_missing_topic_is_found_without_asking_for_it_by_name():
    topics = {"payments": SimpleNamespace(partitions={1: None, 0: None})}
    client = SimpleNamespace(list_topics=lambda timeout: SimpleNamespace(topics=topics))
    assert brokers.partitions_of(client, ["payments"]) == {"payments": [0, 1]}
    with pytest.raises(ClientError, match="did you mean payments"):
        brokers.partitions_of(client, ["payment"])


def test_client_settings_are_read_and_a_wrong_line_is_named(tmp_path):
    path = tmp_path / "client.properties"
    path.write_text("# secret\n\nsasl.username = a=b\n")
    assert brokers.read_properties(path) == {"sasl.username": "a=b"}
    path.write_text("a=1\nnonsense\n")
    with pytest.raises(ClientError, match="line 2: found 'nonsense'"):
        brokers.read_properties(path)


def test_settings_of_the_operator_win():
    config = brokers.common_config("h:1", {"socket.keepalive.enable": "false"})
    assert config["socket.keepalive.enable"] == "false"
    assert config["bootstrap.servers"] == "h:1"


def test_a_producer_has_one_request_under_way_so_that_nothing_is_written_twice(monkeypatch):
    given = {}
    monkeypatch.setattr("confluent_kafka.Producer", lambda settings, **_: given.update(settings))
    brokers.producer("kafka1:9092", {}, 60)
    assert given["enable.idempotence"] is True
    assert given["max.in.flight.requests.per.connection"] == 1
