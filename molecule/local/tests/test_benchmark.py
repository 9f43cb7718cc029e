"""A benchmark never takes what a cluster needs for its users, and leaves nothing in it."""

import json
import time

from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for

SMALL = (
    "-e benchmark_target=existing -e benchmark_rounds=1 -e benchmark_records=20000"
    " -e benchmark_latency_records=200"
)


def scratch_topics(cluster: Cluster) -> list[str]:
    """Partitions of a benchmark that the cluster has."""
    return [p.name for p in cluster.brokers.partitions() if p.name.startswith("benchmark-")]


def wait_until_quiet(cluster: Cluster) -> None:
    """Until the pipeline has worked through what tests before have sent."""
    # Written to always: by what watches the cluster, and by Kafka itself.
    always = {"kafka-metal-probe", "__consumer_offsets", "__transaction_state"}

    def ends() -> dict[str, int]:
        topics = {p.name.rpartition("-")[0] for p in cluster.brokers.partitions()} - always
        return {topic: cluster.brokers.end(topic) for topic in sorted(topics)}

    def quiet() -> None:
        before = ends()
        # Longer than a batch of the pipeline takes: between two of them nothing is written either.
        time.sleep(10)
        if (after := ends()) != before:
            raise NotYet(f"{before} became {after}")

    wait_for("nothing is written", quiet, seconds=180)


def test_a_cluster_in_use_is_not_measured(cluster: Cluster, make, tmp_path):
    with cluster.stream(count=60_000, rate=1000):
        refused = make(
            "bench", INVENTORY="inventories/local", args=f"{SMALL} -e benchmark_output={tmp_path}"
        )

    assert refused.returncode != 0
    assert "the cluster is in use" in refused.stdout
    assert "payments" in refused.stdout
    assert list(tmp_path.iterdir()) == []
    assert scratch_topics(cluster) == []


def test_a_quiet_cluster_is_measured_and_keeps_nothing_of_it(cluster: Cluster, make, tmp_path):
    wait_until_quiet(cluster)

    measured = make(
        "bench",
        INVENTORY="inventories/local",
        args=f"{SMALL} -e benchmark_output={tmp_path} -e benchmark_name=small",
    )

    assert measured.returncode == 0, measured.stdout[-3000:]
    samples = json.loads((tmp_path / "small/results.json").read_text())["samples"]
    assert len({sample["subject"] for sample in samples}) == 7
    assert all(sample.get("records_s", 1) > 0 for sample in samples)
    assert (tmp_path / "small/throughput.svg").exists()
    assert scratch_topics(cluster) == []
    cluster.wait_until_whole(seconds=5)
