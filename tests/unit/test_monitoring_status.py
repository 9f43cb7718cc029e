"""Monitoring in the status screen: its services, firing alerts, silences, unreadable metrics."""

import pytest
from ansible_collections.metal.kafka.plugins.filter.monitoring_status import monitoring_status
from ansible_collections.metal.kafka.plugins.module_utils._problems.arrangement import merge
from ansible_collections.metal.kafka.plugins.module_utils._problems.equal_problems import as_one
from ansible_collections.metal.kafka.plugins.module_utils._problems.platform_problem import Problem


def response_of(**data):
    return {"error": "", "text": "", "json": {"status": "success", "data": data}}


def target(instance, health="up", job="kafka"):
    return {
        "health": health,
        "lastError": "refused" if health == "down" else "",
        "scrapeUrl": "http://127.0.0.1:9090/metrics",
        "labels": {"job": job, "instance": instance},
    }


def alert(name, state="firing", **labels):
    return {
        "state": state,
        "activeAt": "2026-01-01T00:00:00.123456789Z",
        "labels": {"alertname": name, "cluster": "c", **labels},
        "annotations": {"summary": "c: it is away", "runbook": f"https://runbooks/{name}.md"},
    }


JOBS = ("alertmanager", "exporter", "probe", "prometheus")
PROBE = {"error": "", "text": "up 1", "json": None}
PAGE = {"error": "", "text": "", "json": {"problems": []}}


RULES = ({"name": "kafka-metal", "rules": [{"name": "Heartbeat"}]},)


def place(instance, job="kafka"):
    return {"instance": instance, "group": "kafka", "machine": "node1", "kind": "k", "job": job}


def status(targets=(), alerts=(), silences=(), page=PAGE, rules=RULES, places=()):
    return monitoring_status(
        {
            "targets": response_of(activeTargets=list(targets)),
            "alerts": response_of(alerts=list(alerts)),
            "rules": response_of(groups=list(rules)),
            "silences": {"error": "", "json": list(silences)},
            "page": page,
            "probe": PROBE,
        },
        {job: f"127.0.0.1:{port}" for port, job in enumerate(JOBS, 9090)},
        "node1",
        places,
    )


@pytest.mark.parametrize("rules", [(), ({"name": "kafka-metal", "rules": []},)])
def test_a_prometheus_without_rules_is_a_problem(rules):
    (problem,) = status(rules=rules)["problems"]
    assert (problem["kind"], problem["where"]) == ("AlertsUnread", "prometheus@node1")
    assert "has no rules of alerts" in problem["text"]
    assert problem["urgent"]


def test_the_target_of_a_service_that_status_has_read_adds_no_problem():
    zk1 = {**place("zk1"), "down_without_metrics": True}
    (of_target,) = status([target("zk1", "down", "zookeeper")], places=[zk1])["problems"]
    read = Problem("ServiceDown", "zk1", "server 1 is unreachable")
    not_read = Problem("ServiceDown", of_target["where"], of_target["text"], read=of_target["read"])
    assert [each.text for each in merge([not_read, read])] == ["server 1 is unreachable"]


def test_an_instance_that_is_no_target_is_a_problem():
    found = status([target("kafka1")], places=[place("kafka1"), place("kafka2"), place("p", "")])
    (problem,) = found["problems"]
    assert (problem["kind"], problem["where"]) == ("MetricsUnreadable", "kafka2")
    assert "no target kafka2" in problem["text"]
    assert found["services"][3]["note"] == "1 of 2 targets respond"


def test_healthy_monitoring_has_rows_and_no_problem():
    found = status(
        [target("kafka1"), target("prometheus@node1", job="prometheus")],
        [alert("Heartbeat", severity="heartbeat"), alert("Slow", "pending")],
    )
    assert [(row["name"], row["state"]) for row in found["services"]] == [
        (f"{job}@node1", "running") for job in JOBS
    ]
    assert found["services"][3]["note"] == "2 of 2 targets respond"
    assert found["services"][0]["endpoint"] == "http://127.0.0.1:9090"
    assert found["problems"] == []


@pytest.mark.parametrize("error", ["Connection refused", "HTTP status 403"])
def test_rows_of_services_that_do_not_respond_are_down(error):
    refused = {"error": error, "text": "", "json": None}
    names = ("targets", "alerts", "rules", "silences", "page", "probe")
    endpoints = {job: f"127.0.0.1:{port}" for port, job in enumerate(JOBS, 9090)}
    for responses in (dict.fromkeys(names, refused), {}):
        found = monitoring_status(responses, endpoints, "node1", [])
        assert [row["state"] for row in found["services"]] == ["down"] * 4
    assert error in str(monitoring_status({"probe": refused}, endpoints, "node1", [])["problems"])


def test_a_firing_alert_is_a_problem_with_its_place_and_runbook():
    found = status(
        alerts=[
            alert("BrokerDown", severity="page", instance="kafka1", host="node1"),
            alert("WritesSlow", severity="page"),
        ]
    )
    first, second = found["problems"]
    assert (first["kind"], first["where"], first["severity"]) == ("BrokerDown", "kafka1", "page")
    assert first["text"] == "alert BrokerDown: it is away"
    assert first["command"] == "https://runbooks/BrokerDown.md"
    assert first["since"] == 1_767_225_600
    assert second["where"] == ""


def test_the_label_problem_of_an_alert_is_its_kind():
    found = status(
        alerts=[alert("BrokerDown", severity="page", instance="kafka1", problem="ServiceDown")]
    )
    assert [each["kind"] for each in found["problems"]] == ["ServiceDown"]


@pytest.mark.parametrize(
    ("labels", "place"),
    [
        ({"problem": "NoLeader@zookeeper", "cluster": "c"}, ("NoLeader", "zookeeper")),
        (
            {"problem": "PipelineDown", "instance": "exporter@node1", "pipeline": "p"},
            ("PipelineDown", "pipeline-p"),
        ),
        (
            {"problem": "ServiceDown", "instance": "exporter@n", "master": "m1"},
            ("ServiceDown", "m1"),
        ),
        ({"problem": "EngineDown", "host": "node1"}, ("EngineDown", "node1")),
        ({}, ("Some", "")),
    ],
)
def test_an_alert_has_the_place_of_the_problem_that_it_reports(labels, place):
    (found,) = status(alerts=[alert("Some", severity="page", **labels)])["problems"]
    assert (found["kind"], found["where"]) == place


def test_metrics_that_cannot_be_read_are_a_problem_and_the_service_is_down():
    found = status([target("alertmanager@node1", "down", "alertmanager"), target("kafka1")])
    assert found["services"][0]["state"] == "down"
    assert [each["text"] for each in found["problems"]] == [
        "Prometheus cannot read metrics of alertmanager@node1: refused"
    ]


def test_equal_problems_of_the_page_are_read_for_each_place():
    found = [
        Problem("CertificateExpires", f"kafka{number}", f"kafka{number} expires")
        for number in (1, 2)
    ]
    page = {"json": {"problems": [as_one(found).as_dict()]}}
    assert [each["text"] for each in status(page=page)["problems"]] == [
        "kafka1 expires", "kafka2 expires",
    ]  # fmt: skip


def test_an_active_silence_is_a_note():
    matcher = {"name": "alertname", "value": ".*", "isRegex": True, "isEqual": True}
    silence = {
        "id": "1", "status": {"state": "active"}, "matchers": [matcher], "createdBy": "ops",
        "endsAt": "2026-01-01T02:00:00Z", "comment": "works",
    }  # fmt: skip
    expired = {**silence, "id": "2", "status": {"state": "expired"}}
    (note,) = status(silences=[silence, expired])["problems"]
    assert note["severity"] == "note"
    assert note["text"] == (
        "alerts with alertname=~.* are silenced until 2026-01-01T02:00:00Z by ops: works"
    )


def test_an_unresponsive_prometheus_is_a_problem_with_its_reason():
    found = monitoring_status(
        {"targets": {"error": "HTTP status 401"}}, {"prometheus": "h:9090"}, "node1", ()
    )
    (row,) = found["services"]
    assert (row["name"], row["state"]) == ("prometheus@node1", "down")
    texts = [each["text"] for each in found["problems"]]
    assert texts[-1] == "prometheus@node1 does not respond: HTTP status 401. Alerts are not known"
    assert [text.partition(":")[0] for text in texts[:-1]] == [
        "alertmanager@node1 does not respond", "exporter@node1 does not respond",
        "probe@node1 does not respond",
    ]  # fmt: skip


def test_a_starting_prometheus_fails_no_run():
    found = monitoring_status(
        {"targets": {"error": "HTTP status 503"}}, {"prometheus": "h:9090"}, "node1", ()
    )
    (starting,) = [each for each in found["problems"] if each["where"] == "prometheus@node1"]
    assert not starting["read"]


def test_an_alertmanager_without_silences_is_a_problem_and_down():
    response = {"error": "refused", "json": None}
    found = monitoring_status(
        {
            "targets": response_of(activeTargets=[]),
            "alerts": response_of(alerts=[]),
            "silences": response,
            "page": PAGE,
            "probe": PROBE,
        },
        {"alertmanager": "h:9093", "prometheus": "h:9090"},
        "node1",
        (),
    )
    (problem,) = found["problems"]
    assert (problem["kind"], problem["where"]) == ("AlertsUnread", "alertmanager@node1")
    assert [row["state"] for row in found["services"]] == ["down", "running"]


def test_an_unresponsive_page_is_a_problem_and_its_own_findings_are_listed():
    (problem,) = status(page={"error": "refused", "json": None})["problems"]
    assert problem["text"] == "exporter@node1 does not respond: refused"

    unread = {
        "kind": "ReadFailed",
        "where": "kafka",
        "severity": "ticket",
        "text": "not read: group a",
    }
    known = {"kind": "ServiceDown", "where": "kafka1", "severity": "page", "text": "read here, too"}
    body = {"error": "", "json": {"problems": [unread, known]}}
    assert [each["text"] for each in status(page=body)["problems"]] == ["not read: group a"]
