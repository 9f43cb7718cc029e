"""A benchmark refuses a cluster in use, and leaves nothing in an idle one."""

import json
from subprocess import CompletedProcess

from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for

SMALL = (
    "-e benchmark_target=existing -e benchmark_rounds=1 -e benchmark_records=20000"
    " -e benchmark_latency_records=200"
)


def scratch_topics(cluster: Cluster) -> list[str]:
    """Return the partitions of a benchmark in the cluster."""
    return [p.name for p in cluster.brokers.partitions() if p.name.startswith("benchmark-")]


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


def test_an_idle_cluster_is_measured_and_left_clean(cluster: Cluster, make, tmp_path):
    def attempt() -> CompletedProcess[str]:
        done = make(
            "bench",
            INVENTORY="inventories/local",
            args=f"{SMALL} -e benchmark_output={tmp_path} -e benchmark_name=small",
        )
        # The pipeline may still process records of earlier tests.
        if "the cluster is in use" in done.stdout:
            raise NotYet(done.stdout[-2000:])
        return done

    measured = wait_for("the cluster is idle", attempt, seconds=240)

    assert measured.returncode == 0, measured.stdout[-3000:]
    samples = json.loads((tmp_path / "small/results.json").read_text())["samples"]
    assert len({sample["subject"] for sample in samples}) == 7
    assert all(sample.get("records_s", 1) > 0 for sample in samples)
    assert (tmp_path / "small/throughput.svg").exists()
    assert scratch_topics(cluster) == []
    cluster.wait_until_whole(seconds=5)
