"""The page lists problems first, is read-only, and escapes names."""

import base64
import hashlib
import json
import re
from dataclasses import replace

import pytest
from kafka_metal_watch._problems.arrangement import places_of
from kafka_metal_watch.findings import findings, problems
from kafka_metal_watch.lag import Lag
from kafka_metal_watch.metrics import ClusterState
from kafka_metal_watch.overview import Broker, Overview, Topic
from kafka_metal_watch.page import (
    HEADERS,
    GroupLag,
    application,
    duration,
    group_lags,
    page,
    problems_json,
    tables,
)

NOW = 1000.0
HEALTHY = Overview(
    (Broker(1, "kafka1:9092", registered=True, controller=True),), (Topic("orders", 3, 3, 0, 0),)
)


PLACES = places_of(
    [
        {"instance": "zk3", "group": "zookeeper", "machine": "m3"},
        {"instance": "kafka3", "group": "kafka", "machine": "m3"},
    ]
)
STARTING = {"state": "starting", "outputs": {}}


def found(**changed):
    return ClusterState(**{"read": NOW - 5, "overview": HEALTHY, "warn_days": 14, **changed})


def rendered(**changed):
    return page(found(**changed), "prod", {"test": "https://test.example.com/"}, NOW, 15)


def broken(broker=None, topic=None):
    brokers = (*HEALTHY.brokers, broker) if broker else HEALTHY.brokers
    return Overview(brokers, (topic,) if topic else HEALTHY.topics)


def test_a_healthy_cluster_has_no_problems():
    assert findings(found(), NOW, 15) == []
    text = rendered()
    assert "<title>prod: no problems</title>" in text
    assert "All is well" in text
    assert 'href="https://test.example.com/"' in text


def test_a_page_before_all_parts_were_read_does_not_say_that_all_is_well():
    text = rendered(pending=("prometheus",))
    assert "All is well" not in text
    assert "No problem found, but not read yet: prometheus." in text


def texts(**changed):
    return [
        each.text
        for finding in findings(found(**changed), NOW, 15)
        for each in (finding.problem, *finding.effects)
    ]


def alert(name, **labels):
    return {
        "state": "firing", "activeAt": "2026-01-01T00:00:00Z",
        "labels": {"alertname": name, "severity": "page", **labels},
        "annotations": {"summary": "it is away"},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"overview": Overview(), "unread": {("cluster", "all"): "refused"}},
            "no broker responds: refused",
        ),
        ({"read": NOW - 120}, "the cluster has not responded for 2 min"),
        ({"overview": broken(Broker(3))}, "broker 3 is not registered"),
        (
            {"overview": replace(HEALTHY, leaderless=("t-0", "t-1"))},
            "2 partitions are offline: t-0, t-1",
        ),
        (
            {"overview": replace(HEALTHY, under_replicated=("t-0",))},
            "1 partition is under-replicated: t-0",
        ),
        (
            {"overview": Overview((Broker(1, "kafka1:9092", registered=True),), ())},
            "the cluster has no controller",
        ),
        (
            {"engines": {"m1": 12.0, "m2": 190.0}},
            "the container engine of m2 has not responded for 3 min",
        ),
        ({"pipelines": {"payments": None}}, "pipeline payments does not respond"),
        (
            {"pipelines": {"p": {**STARTING, "failed_starts": 2, "last_error": "no jar"}}},
            "pipeline p is starting after 2 failed starts: no jar",
        ),
        (
            {"masters": {"m1": {"status": "STANDBY"}}},
            "the Spark cluster has no leading master",
        ),
        (
            {"certificates": {"kafka1:9092": NOW + 86400 * 3}},
            "the certificate of kafka1:9092 expires in 3 d: make up renews it",
        ),
        ({"certificates": {"k:1": NOW}}, "the certificate of k:1 has expired: make up renews it"),
        ({"unread": {("group", "billing"): "moved"}}, "not read: group billing (moved)"),
        (
            {"unread": {("group", str(number)): "moved" for number in range(7)}},
            "not read: group 0 (moved), 1 (moved), 2 (moved), 3 (moved), 4 (moved) and 2 more",
        ),
        (
            {"unread": {("connection limits", "2"): "timed out"}},
            "broker 2 does not respond: timed out",
        ),
        (
            {"unread": {("connection limits", "2"): "Broker: Cluster authorization failed"}},
            "not read: connection limits 2 (Broker: Cluster authorization failed)",
        ),
        ({"alerts": (alert("WritesSlow"),)}, "alert WritesSlow: it is away"),
        (
            {
                "targets": (
                    {"health": "down", "labels": {"instance": "node1"}, "lastError": "refused"},
                )
            },
            "Prometheus cannot read metrics of node1: refused",
        ),
    ],
)
def test_problems_are_listed_first(changed, message):
    assert texts(**changed) == [message]
    text = rendered(**changed)
    assert re.search(rf"<li class=\"(page|ticket)\">{re.escape(message)}", text)
    assert "<title>prod: 1 problem</title>" in text


def test_what_follows_is_below_its_cause_with_the_command_that_helps():
    text = rendered(
        overview=replace(broken(Broker(3)), under_replicated=("t-0",)),
        alerts=(alert("BrokerDown", instance="kafka3", problem="ServiceDown"),),
        places=PLACES,
    )
    assert "<title>prod: 2 problems</title>" in text
    first, second = re.findall(r"<li[^>]*>([^<]*)", text)
    assert "broker 3 is not registered (since 2026-01-01 00:00 UTC, alert BrokerDown)" in first
    assert second == "1 partition is under-replicated: t-0"


def test_a_service_that_starts_earlier_explains_a_later_one():
    alerts = (
        alert("ZooKeeperWithoutQuorum", problem="NoLeader@zookeeper"),
        alert("NoController", problem="NoLeader@kafka"),
    )
    (each,) = findings(found(alerts=alerts, places=PLACES), NOW, 15)
    assert (each.problem.where, [effect.where for effect in each.effects]) == (
        "zookeeper", ["kafka"],
    )  # fmt: skip


def test_monitoring_that_reads_or_evaluates_nothing_is_a_problem():
    scraped = places_of([{"instance": "kafka3", "group": "kafka", "machine": "m3", "job": "kafka"}])
    own = {"health": "up", "labels": {"instance": "prometheus@m3"}}
    # Unread targets and rules are no problem of their own: Prometheus does not respond.
    assert texts(places=scraped) == []
    assert texts(places=scraped, targets=(own,), rules=()) == [
        "Prometheus has no target kafka3",
        "prometheus has no rules of alerts: nothing can fire",
    ]
    assert texts(rules=({"rules": [{"name": "Heartbeat"}]},)) == []


def test_a_service_that_only_prometheus_reads_is_down_before_its_alert():
    instance = "zk1"
    places = places_of(
        [{"instance": instance, "group": "g", "machine": "m1", "down_without_metrics": True}]
    )
    target = {
        "health": "down",
        "labels": {"instance": instance, "job": "zookeeper"},
        "lastError": 'Get "http://m1:1/metrics": dial tcp: connection refused',
    }
    text = f"{instance} does not respond to Prometheus: dial tcp: connection refused"
    (before,) = findings(found(targets=(target,), places=places), NOW, 15)
    fires = alert("Down", instance=instance, problem="ServiceDown")
    (after,) = findings(found(targets=(target,), alerts=(fires,), places=places), NOW, 15)
    for each in (before.problem, after.problem):
        assert (each.kind, each.where, each.level) == ("ServiceDown", instance, "page")
    assert (before.problem.text, after.problem.alerts) == (text, ("Down",))


def test_the_same_problems_are_served_as_json():
    body = json.loads(problems_json(found(overview=broken(Broker(3))), "prod", NOW, 15))
    assert (body["cluster"], body["at"], body["read"]) == ("prod", NOW, NOW - 5)
    (problem,) = body["problems"]
    assert (problem["kind"], problem["where"], problem["severity"]) == (
        "ServiceDown", "kafka3", "page",
    )  # fmt: skip


@pytest.mark.parametrize(("days", "level"), [(2.9, "page"), (3, "ticket"), (13.9, "ticket")])
def test_a_certificate_that_expires_within_three_days_is_a_page(days, level):
    (each,) = findings(found(certificates={"h:1": NOW + days * 86400}), NOW, 15)
    assert each.problem.level == level


def test_names_are_escaped():
    name = "<script>alert(1)</script>"
    text = rendered(
        overview=broken(topic=Topic(name, 1, 1, 0, 0)),
        lags=(Lag(name, "t", 0, 1, 2, 3.0),),
        members={(name, "t"): 1},
    )
    assert name not in text
    assert text.count("<script>") == 1


def test_group_lags_sum_records_and_take_the_maximum_of_seconds():
    lags = [Lag("g", "a", 0, 1, 5, 2.0), Lag("g", "a", 1, 1, 7, 9.0)]
    assert group_lags(lags, {("g", "a"): 2, ("idle", "b"): 0}) == [
        GroupLag("g", "a", 2, 12, 9.0),
        GroupLag("idle", "b", 0, 0, 0.0),
    ]


def test_the_page_displays_everything():
    text = rendered(
        lags=(Lag("billing", "orders", 0, 1, 12345, 90.0),),
        members={("billing", "orders"): 0},
        pipelines={
            "payments": {
                "state": "running",
                "outputs": {"fraud": {"lag": 1000, "rows_per_second": 52.4}, "new": {"lag": None}},
            }
        },
        masters={
            "m1": {"status": "ALIVE", "aliveworkers": 2},
            "m2": {"status": "STANDBY"},
            "m3": None,
        },
        certificates={"kafka1:9092": NOW + 86400, "kafka2:9092": 0.0},
    )
    for text_part in ("12,345", "2 min", "1,000", ">52<", "standby", "1 d", "has expired"):
        assert text_part in text


@pytest.mark.parametrize(
    ("changed", "marked"),
    [
        ({}, []),
        ({"overview": broken(Broker(3))}, [("not registered", "bad")]),
        ({"overview": broken(topic=Topic("t", 4, 3, 2, 1))}, [(2, "warn"), (1, "bad")]),
        ({"lags": (Lag("g", "t", 0, 1, 5, 59.0),)}, [(0, "warn")]),
        (
            {"lags": (Lag("g", "t", 0, 1, 5, 60.0),), "members": {("g", "t"): 1}},
            [("1 min", "warn")],
        ),
        (
            {"lags": (Lag("g", "t", 0, 1, 0, 0.0),), "unread": {("group", "g"): "moved"}},
            [("unknown", "warn")],
        ),
        ({"pipelines": {"p": {"state": "failed", "outputs": {"o": {}}}}}, [("failed", "bad")]),
        ({"pipelines": {"p": None}}, [("does not respond", "bad")]),
        ({"masters": {"m": None, "n": {"status": "STANDBY"}}}, [("does not respond", "bad")]),
        ({"certificates": {"h:1": NOW + 14 * 86400}}, []),
        ({"certificates": {"h:1": NOW + 14 * 86400 - 1}}, [("14 d", "warn")]),
        ({"certificates": {"h:1": NOW + 14 * 86400}, "warn_days": 15}, [("14 d", "warn")]),
        ({"certificates": {"h:1": NOW}}, [("has expired", "bad")]),
    ],
)
def test_only_problems_are_marked(changed, marked):
    cells = [cell for table in tables(found(**changed), NOW) for row in table.rows for cell in row]
    assert [(value, mark) for value, mark in cells if mark] == marked


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (1.2, "1 s"), (90, "2 min"), (7200, "2 h"), (172800, "2 d")]
)
def test_durations_use_their_largest_unit(seconds, text):
    assert duration(seconds) == text


def request(method="GET", path="/"):
    started = []
    app = application(lambda *_: [b"metrics"], rendered, lambda: "{}")
    body = b"".join(
        app(
            {"REQUEST_METHOD": method, "PATH_INFO": path},
            lambda status, headers: started.append((status, dict(headers))),
        )
    )
    return (started[0] if started else None), body


def test_only_the_page_and_metrics_are_served():
    assert request()[0][0] == "200 OK"
    assert request(path="/metrics")[1] == b"metrics"
    assert request(path="/problems.json")[0][1]["Content-Type"] == "application/json"
    assert request(path="/problems.json")[1] == b"{}"
    assert request(path="/favicon.ico")[0][0] == "404 Not Found"
    assert request("HEAD")[1] == b""


def test_responses_do_not_share_their_headers():
    started = []
    app = application(lambda *_: [b""], rendered, lambda: "{}")
    for _ in range(2):
        app(
            {"REQUEST_METHOD": "GET", "PATH_INFO": "/"},
            lambda _, headers: started.append(headers) or headers.append(("Content-Length", "1")),
        )
    assert started[0] is not started[1]
    assert [len(each) for each in started] == [len(HEADERS) + 1] * 2


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("path", ["/", "/metrics", "/problems.json"])
def test_the_page_is_read_only(method, path):
    assert request(method, path)[0][0] == "405 Method Not Allowed"


def test_the_policy_allows_only_the_script_of_the_page():
    script = re.search(r"<script>(.*)</script>", rendered(), re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in dict(HEADERS)["Content-Security-Policy"]


def test_the_page_names_a_worker_that_is_not_registered():
    def worker(page: str, state: str) -> dict[str, str]:
        return {"webuiaddress": f"http://{page}", "state": state}

    found = ClusterState(
        masters={
            "m1": {
                "status": "ALIVE",
                "workers": [worker("w1:8081", "ALIVE"), worker("w2:8081", "DEAD"), {}],
            }
        },
        workers={"spark-worker1": "w1:8081", "spark-worker2": "w2:8081"},
    )
    assert [
        (each.kind, each.where) for each in problems(found, NOW, 15) if each.kind == "ServiceDown"
    ] == [("ServiceDown", "spark-worker2")]
