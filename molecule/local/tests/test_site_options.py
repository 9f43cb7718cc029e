"""What only a site may set reaches the drivers of its pipelines."""

from testing import pages
from testing.cluster import Cluster


def test_spark_options_of_the_site_reach_its_pipelines(cluster: Cluster):
    (history,) = cluster.topology.histories.values()
    found = pages.told(history.endpoint, "/api/v1/applications?status=running")
    (payments,) = [each["id"] for each in found if each["name"] == "pipeline-payments"]
    environment = pages.told(history.endpoint, f"/api/v1/applications/{payments}/environment")

    # A declaration may not give this one.
    assert ["spark.ui.liveUpdate.period", "150ms"] in environment["sparkProperties"]
