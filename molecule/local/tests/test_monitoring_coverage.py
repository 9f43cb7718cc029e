"""Monitoring covers the whole platform."""

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from testing import pages
from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for

ROOT = Path(__file__).resolve().parents[3]
DASHBOARDS = sorted((ROOT / "monitoring/dashboards").glob("*.json"))
JOBS = {
    **{"kafka": 3, "zookeeper": 3, "spark": 5},
    **{"node": 1, "probe": 1, "exporter": 1, "prometheus": 1},
}

Query = Callable[[str], list[dict]]


@pytest.fixture(scope="module")
def prometheus(services: dict[str, str]) -> str:
    """Return the URL of Prometheus."""
    return services["prometheus"]


@pytest.fixture
def query(prometheus: str) -> Query:
    """Query Prometheus: return the series of an expression."""

    def answer(expression: str) -> list[dict]:
        parameters = urllib.parse.urlencode({"query": expression})
        return pages.get_monitoring(f"{prometheus}/api/v1/query?{parameters}")["data"]["result"]

    return answer


def test_every_service_has_metrics(query: Query):
    def all_up() -> None:
        found = {
            each["metric"]["job"]: int(each["value"][1]) for each in query("sum by (job) (up)")
        }
        if any(found.get(job) != count for job, count in JOBS.items()):
            raise NotYet(str(found))

    wait_for("every target is up", all_up, seconds=90)


def test_neither_prometheus_nor_alertmanager_answers_without_the_password(prometheus: str):
    found = pages.get_monitoring(f"{prometheus}/api/v1/alertmanagers")["data"][
        "activeAlertmanagers"
    ]
    assert found
    own = (f"{prometheus}{path}" for path in ("/", "/api/v1/query?query=up", "/-/healthy"))

    for url in (*own, *(each["url"] for each in found)):
        # DNS rebinding: a web site that resolves its own name to loopback.
        rebound = urllib.request.Request(url, headers={"Host": "attacker.example"})
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(rebound, timeout=10)


def test_every_broker_serves_the_probe(query: Query, cluster: Cluster):
    def served() -> None:
        rates = {
            each["metric"]["partition"]: float(each["value"][1])
            for each in query("rate(kafka_metal_probe_end_to_end_seconds_count[1m])")
        }
        if len(rates) != len(cluster.topology.brokers) or min(rates.values()) < 1:
            raise NotYet(str(rates))

    wait_for("the probe reads records from every broker", served, seconds=120)


def test_the_page_of_the_cluster_lists_brokers_topics_and_pipelines(
    services: dict[str, str], cluster: Cluster
):
    with urllib.request.urlopen(services["exporter"], timeout=10) as page:
        text = page.read().decode()

    assert f"<h1>{cluster.topology.cluster}</h1>" in text
    for broker in cluster.topology.brokers.values():
        assert f">{broker.endpoint}<" in text
    for name in ("payments_invalid", "kafka-metal-probe", "payments"):
        assert f">{name}<" in text


def test_certificates_of_every_listener_are_monitored(query: Query, cluster: Cluster):
    ends = [
        float(each["value"][1]) for each in query("kafka_metal_certificate_expiry_time_seconds")
    ]

    assert len(ends) == 2 * len(cluster.topology.brokers)
    assert min(ends) > 0


def test_health_checks_of_the_engine_are_monitored(query: Query):
    def checked() -> None:
        ages = [
            float(each["value"][1])
            for each in query("time() - kafka_metal_engine_checked_time_seconds")
        ]
        if len(ages) != JOBS["node"] or max(ages) > 45:
            raise NotYet(str(ages))

    wait_for("the engine runs health checks", checked, seconds=60)


@pytest.mark.parametrize("board", DASHBOARDS, ids=lambda board: board.stem)
def test_every_panel_has_data_or_describes_why_not(board: Path, query: Query, cluster: Cluster):
    empty = []
    for panel in _panels(json.loads(board.read_text(encoding="utf-8"))):
        expressions = [
            _filled(target["expr"], cluster.topology.cluster) for target in panel.get("targets", [])
        ]
        if expressions and "Empty " not in panel.get("description", ""):
            empty += [f"{panel['title']}: {each}" for each in expressions if not query(each)]
    assert not empty, "\n".join(empty)


def _panels(board: dict) -> list[dict]:
    """Return the panels of a dashboard, also in rows."""
    found = []
    for panel in board["panels"]:
        found += [panel, *panel.get("panels", [])]
    return found


def _filled(expression: str, cluster: str) -> str:
    """Return an expression with Grafana's variables replaced."""
    for variable, value in (("$__rate_interval", "1m"), ("$__range", "1h"), ("$cluster", cluster)):
        expression = expression.replace(variable, value)
    return expression
