"""The pager receives a valid event for a page, and a resolve when the fault is gone."""

import json
import queue
import subprocess
import threading
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import create_server

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.alertmanager import (
    alertmanager_config,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.alerts import parse_alerts
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_alerts,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.rule_file import rule_document
from conftest import reference

RUNBOOKS = "https://wiki.example.com/kafka/runbooks"
ALERTS = parse_alerts(read_alerts())


@pytest.fixture
def pager():
    """Run a substitute for the pager; return its address and the queue of received events."""
    events: queue.Queue = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            events.put((self.path, json.loads(body)))
            self.send_response(202)
            self.end_headers()
            self.wfile.write(b'{"status": "success", "message": "Event processed"}')

        def log_message(self, *_):
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v2/enqueue", events
        server.shutdown()


@pytest.fixture
def alertmanager(folder, pager):
    """Run Alertmanager with our routes; return its address."""
    receivers = {"page": {"pagerduty": [{"routing_key": "0" * 32, "url": pager[0]}]}}
    config = alertmanager_config(ALERTS, receivers, RUNBOOKS)
    (folder / "alertmanager.yml").write_text(yaml.safe_dump(config))
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    name = f"kafka-metal-test-alertmanager-{port}"
    subprocess.run(
        [
            *("docker", "run", "--detach", "--rm", "--name", name, "--network", "host"),
            *("--read-only", "--cap-drop", "ALL", "--user", "10001:10001"),
            *("--tmpfs", "/data:mode=1777", "--volume", f"{folder}:/work:ro"),
            *(reference("alertmanager"), "prometheus-alertmanager"),
            *("--config.file=/work/alertmanager.yml", "--storage.path=/data"),
            *("--cluster.listen-address=", f"--web.listen-address=127.0.0.1:{port}"),
        ],
        check=True,
        capture_output=True,
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        subprocess.run(["docker", "rm", "--force", name], check=False, capture_output=True)


def post_alerts(address, alerts, timeout=30):
    """Post alerts as Prometheus does; wait up to ``timeout`` seconds for Alertmanager."""
    request = urllib.request.Request(
        f"{address}/api/v2/alerts",
        data=json.dumps(alerts).encode(),
        headers={"Content-Type": "application/json"},
    )
    end = time.monotonic() + timeout
    while True:
        try:
            with urllib.request.urlopen(request, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError):
            assert time.monotonic() < end, f"{address} does not respond"
            time.sleep(0.2)


def firing(name, **labels):
    """Return a firing alert with the labels and annotations of its rule."""
    (rule,) = [
        rule
        for rule in rule_document(ALERTS, {}, RUNBOOKS)["groups"][0]["rules"]
        if rule["alert"] == name
    ]
    return {
        "labels": {"alertname": name, **rule["labels"], **labels},
        "annotations": {**rule["annotations"], "summary": f"{labels['cluster']}: as it is"},
        "startsAt": datetime.now(UTC).isoformat(),
    }


def test_a_page_triggers_and_resolves_a_valid_event(alertmanager, pager):
    broker = firing("BrokerDown", cluster="main", host="node1", instance="kafka1")
    posted = time.monotonic()
    post_alerts(alertmanager, [broker])
    path, event = pager[1].get(timeout=30)
    assert time.monotonic() - posted < 20
    assert path == "/v2/enqueue"
    # Required fields and limits of Events API v2.
    assert event["routing_key"] == "0" * 32
    assert event["event_action"] == "trigger"
    assert 0 < len(event["dedup_key"]) <= 255
    payload = event["payload"]
    assert payload["summary"] == "main: as it is"
    assert payload["source"]
    assert payload["severity"] in {"critical", "error", "warning", "info"}
    # Fields for the person on call.
    assert (payload["group"], payload["component"]) == ("main", "node1")
    assert payload["custom_details"]["instance"] == "kafka1"
    assert event["links"] == [{"href": f"{RUNBOOKS}/BrokerDown.md", "text": "What to do"}]

    resolved_alert = {**broker, "endsAt": (datetime.now(UTC) - timedelta(seconds=1)).isoformat()}
    post_alerts(alertmanager, [resolved_alert])
    _, resolved = pager[1].get(timeout=60)
    assert resolved["event_action"] == "resolve"
    assert resolved["dedup_key"] == event["dedup_key"]


def test_an_inhibited_alert_does_not_reach_the_pager(alertmanager, pager):
    cause = firing("HostDown", cluster="main", host="node1")
    consequence = firing("BrokerDown", cluster="main", host="node1", instance="kafka1")
    elsewhere = firing("BrokerDown", cluster="main", host="node2", instance="kafka2")
    post_alerts(alertmanager, [cause, consequence, elsewhere])
    events = [pager[1].get(timeout=30)[1]["payload"] for _ in range(2)]
    assert {(e["class"], e["component"]) for e in events} == {
        ("HostDown", "node1"),
        ("BrokerDown", "node2"),
    }


def test_a_ticket_does_not_reach_the_pager(alertmanager, pager):
    post_alerts(alertmanager, [firing("DiskSlow", cluster="main", host="node1", device="sdb")])
    post_alerts(
        alertmanager, [firing("BrokerDown", cluster="main", host="node1", instance="kafka1")]
    )
    _, event = pager[1].get(timeout=30)
    assert event["payload"]["class"] == "BrokerDown"
    assert pager[1].empty()
