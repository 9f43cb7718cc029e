"""Spark's history server lists running pipelines."""

from testing import pages
from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for


def test_the_history_lists_the_running_pipeline(cluster: Cluster):
    (history,) = cluster.topology.histories.values()

    def is_listed() -> None:
        running = pages.get(history.endpoint, "/api/v1/applications?status=running")
        names = {each["name"] for each in running}
        if "pipeline-payments" not in names:
            raise NotYet(f"applications: {sorted(names)}")

    wait_for("the history lists the pipeline", is_listed, seconds=60)
