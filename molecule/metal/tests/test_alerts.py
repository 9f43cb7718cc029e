"""Faults fire their alert in time, and planned work pages nobody."""

import time
from collections.abc import Callable, Iterator

import pytest
from testing import playbooks
from testing.cluster import Cluster
from testing.planted_faults import FAULTS
from testing.prometheus import Prometheus
from testing.rolls import preferred_lead
from testing.waiting import NotYet, wait_for

# Requests a URL over TLS and prints the status code. Arguments: file of the CA, file of the token
# or an empty string, URL.
REQUEST = """
import ssl, sys, urllib.error, urllib.request
ca, token, url = sys.argv[1:]
headers = {"Authorization": "Bearer " + open(token).read()} if token else {}
trusted = ssl.create_default_context(cafile=ca)
try:
    request = urllib.request.Request(url, headers=headers)
    print(urllib.request.urlopen(request, context=trusted, timeout=5).status)
except urllib.error.HTTPError as error:
    print(error.code)
"""
OWN = "/etc/kafka-metal/{cluster}-prometheus1/{file}"


def test_metrics_of_other_machines_need_the_proxy_and_a_token(
    cluster: Cluster, prometheus: Prometheus
):
    monitoring_host, broker = cluster.shell(prometheus.machine), cluster.topology.brokers[1]
    ca, token = (
        OWN.format(cluster=cluster.topology.cluster, file=file)
        for file in ("ca.pem", "metrics.token")
    )
    page = f"https://{broker.address}:9443/proxy?module=kafka1"
    connect = "timeout 2 bash -c %s"

    assert monitoring_host.check_output("python3 -c %s %s %s %s", REQUEST, ca, token, page) == "200"
    assert monitoring_host.check_output("python3 -c %s %s %s %s", REQUEST, ca, "", page) == "401"
    # The agents of broker and server, and the node exporter.
    for port in (9404, 9405, 9100):
        assert monitoring_host.run(connect, f"exec 3<>/dev/tcp/{broker.address}/{port}").rc != 0
    assert monitoring_host.run(connect, f"exec 3<>/dev/tcp/{broker.address}/9443").rc == 0


@pytest.mark.parametrize("name", [name for name, each in FAULTS.items() if "alert" in each.screens])
def test_a_fault_fires_its_alert_in_time(name: str, cluster: Cluster, prometheus: Prometheus):
    fault = FAULTS[name]
    prometheus.wait_for_targets(seconds=120)
    prometheus.wait_until_over(fault.alert, seconds=120)
    # After the fault before a broker may lead no partition: its loss would have no effect.
    preferred_lead(cluster)
    with fault.inject(cluster):
        began = time.monotonic()
        prometheus.wait_for(fault.alert, fault.within)
        took = time.monotonic() - began
        pages = prometheus.firing("page")
    print(f"{name}: {fault.alert} after {took:.0f} s")
    assert (fault.alert in pages) is fault.page


def test_a_planned_restart_pages_nobody(prometheus: Prometheus):
    assert pages_during(prometheus, lambda: playbooks.run("restart", seconds=1200)) == set()


@pytest.fixture
def old_version(platform: Cluster, prometheus: Prometheus) -> Iterator[None]:
    """Create the cluster with the old version; destroy it at the end: a downgrade is impossible."""
    destroyed = {"confirm_destroy": platform.topology.cluster}
    playbooks.run("destroy", extra=destroyed)
    playbooks.run("site", extra={"image_versions": {"kafka": "3.8.1"}})
    prometheus.wait_for_targets(seconds=120)
    yield
    playbooks.run("destroy", extra=destroyed)


@pytest.mark.usefixtures("old_version")
def test_an_upgrade_pages_nobody(prometheus: Prometheus):
    def upgrade() -> None:
        playbooks.run("upgrade", seconds=1200)
        playbooks.run("upgrade", extra={"upgrade_finish": True}, seconds=1200)

    assert pages_during(prometheus, upgrade) == set()


def pages_during(prometheus: Prometheus, work: Callable[[], object]) -> set[str]:
    """Return the alerts of severity page that fired during planned work."""
    # Alerts of earlier tests end first.
    wait_for("no page fires", lambda: silent(prometheus), seconds=700, every=5)
    began = time.monotonic()
    work()
    # Two evaluations of the rules after the end of the work.
    time.sleep(30)
    return prometheus.fired("page", int(time.monotonic() - began))


def silent(prometheus: Prometheus) -> None:
    if pages := prometheus.firing("page"):
        raise NotYet(f"firing: {sorted(pages)}")
