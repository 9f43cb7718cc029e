"""Every screen names a fault of machines in time, and no longer after it."""

import pytest
from testing import screens
from testing.cluster import Cluster
from testing.planted_faults import FAULTS
from testing.prometheus import Prometheus
from testing.rolls import preferred_lead

PAGE = "127.0.0.1:9309"


@pytest.mark.parametrize("name", FAULTS)
def test_every_screen_names_a_fault_and_its_end(
    name: str, cluster: Cluster, prometheus: Prometheus
):
    fault = FAULTS[name]
    prometheus.wait_for_targets(seconds=120)
    prometheus.wait_until_over(fault.alert, seconds=120)
    preferred_lead(cluster)
    row = screens.measure(fault, cluster, prometheus, PAGE)
    print(f"{name}: {row}")
    screens.save("metal", name, row)
    assert screens.late(row, fault) == {}
