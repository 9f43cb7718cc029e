"""The history of Spark shows what pipelines do, while they do it."""

import json
import urllib.request

from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for


def test_the_history_knows_the_pipeline_that_runs(cluster: Cluster):
    (history,) = cluster.topology.histories.values()

    def is_listed() -> None:
        url = f"http://{history.endpoint}/api/v1/applications?status=running"
        with urllib.request.urlopen(url, timeout=5) as answer:
            names = {each["name"] for each in json.load(answer)}
        if "pipeline-payments" not in names:
            raise NotYet(f"applications: {sorted(names)}")

    wait_for("the history lists the pipeline", is_listed, seconds=60)
