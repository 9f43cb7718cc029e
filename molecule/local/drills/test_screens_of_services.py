"""Every screen names a fault of services in time, and no longer after it."""

import pytest
from testing import pages, screens
from testing.cluster import Cluster
from testing.planted_local_faults import FAULTS
from testing.prometheus import Prometheus


@pytest.fixture(scope="module")
def prometheus(platform: Cluster) -> Prometheus:
    platform.wait_until_whole()
    screens.status_problems(platform.topology.cluster)
    endpoint = pages.endpoint(platform.topology.cluster, "prometheus")
    return Prometheus(platform, "localhost", endpoint)


@pytest.mark.parametrize("name", FAULTS)
def test_every_screen_names_a_fault_and_its_end(
    name: str, cluster: Cluster, prometheus: Prometheus
):
    fault = FAULTS[name]
    prometheus.wait_for_targets(seconds=120)
    if fault.alert:
        prometheus.wait_until_over(fault.alert, seconds=700)
    page = pages.endpoint(cluster.topology.cluster, "exporter")
    row = screens.measure(fault, cluster, prometheus, page)
    print(f"{name}: {row}")
    screens.save("local", name, row)
    assert screens.late(row, fault) == {}
