"""Rows of monitoring in the status screen."""

from ansible_collections.metal.kafka.plugins.filter.monitoring_status import (
    page_row,
    prometheus_row,
)


def response(**data):
    return {"status": 200, "json": {"status": "success", "data": data}}


def target(instance, health="up"):
    return {"health": health, "labels": {"job": "kafka", "instance": instance}}


def alert(name, state="firing", **labels):
    return {
        "state": state,
        "labels": {"alertname": name, "cluster": "c", **labels},
        "annotations": {"summary": "is away"},
    }


def note(targets, alerts):
    return prometheus_row([response(activeTargets=targets), response(alerts=alerts)], "h:9090")[
        "note"
    ]


def test_healthy_platform_has_no_alert():
    found = note(
        [target("kafka1"), target("kafka2")],
        [alert("Watchdog", severity="heartbeat"), alert("Slow", "pending")],
    )

    assert found == "2 of 2 targets respond, no alert"


def test_unreachable_targets_and_firing_alerts_are_in_the_note():
    found = note(
        [target("kafka1", "down"), target("kafka2")],
        [alert("BrokerDown", severity="page", instance="kafka1"), alert("Slow", severity="ticket")],
    )

    assert found == "1 of 2 targets respond, page BrokerDown, ticket Slow"


def test_unresponsive_prometheus_is_down():
    unreachable = {"status": -1, "msg": "Connection refused"}

    row = prometheus_row([unreachable, unreachable], "h:9090")

    assert (row["state"], row["health"]) == ("down", "")


def test_prometheus_http_error_is_in_the_note():
    denied = {"status": 401}

    row = prometheus_row([denied, denied], "h:9090")

    assert (row["state"], row["note"]) == ("running", "HTTP status 401")


def test_note_has_the_file_with_the_password():
    responses = [response(activeTargets=[target("kafka1")]), response(alerts=[])]

    row = prometheus_row(responses, "h:9090", True)

    assert row["note"] == "1 of 1 targets respond, no alert, password in operator/monitoring-web"


def test_page_row_has_the_state_in_the_title():
    row = page_row({"status": 200, "content": "<title>prod: 2 problems</title>"}, "h:9309")

    assert (row["name"], row["state"], row["note"]) == ("page", "running", "2 problems")
    assert row["endpoint"] == "http://h:9309"


def test_unreachable_page_is_down():
    for nothing in ({"status": -1}, {"status": 500, "content": ""}, {"status": 200}):
        assert page_row(nothing, "h:9309")["state"] == "down"
