"""Outputs of a pipeline read its topic together."""

from typing import Any

import pytest
from testing import pages
from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for

SENT = 20_000


@pytest.fixture
def history(cluster: Cluster) -> str:
    """Where the history of Spark answers."""
    (server,) = cluster.topology.histories.values()
    return server.endpoint


def test_a_record_is_read_once_for_all_outputs(cluster: Cluster, history: str):
    before = max((each["stageId"] for each in stages(history)), default=-1)

    def read() -> int:
        """Records that executors have asked Kafka for since."""
        since = [each for each in stages(history) if each["stageId"] > before]
        # What they take from memory, where it was kept for the others, has a size for Spark.
        return sum(each["inputRecords"] for each in since if not each["inputBytes"])

    with cluster.stream(count=SENT, rate=1000) as stream:
        stream.finish(seconds=60)
        # Every output has written all of it.
        stream.reconcile()

    found = [0]

    def at_rest() -> int:
        found.append(read())
        if found[-1] < SENT or found[-1] != found[-2]:
            raise NotYet(f"{found[-1]} records")
        return found[-1]

    # The history looks for what is new every ten seconds. Four outputs, each apart, read 80,000.
    asked = wait_for("the history knows all of it", at_rest, seconds=120, every=12)
    assert asked < 1.2 * SENT


def stages(history: str) -> list[dict[str, Any]]:
    """Stages of the pipeline that runs, as many as the history keeps."""
    running = pages.told(history, "/api/v1/applications?status=running")
    (pipeline,) = (each["id"] for each in running if each["name"] == "pipeline-payments")
    return pages.told(history, f"/api/v1/applications/{pipeline}/stages", seconds=30)
