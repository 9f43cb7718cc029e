"""A page reaches the pager as the body it wants, and resolves when the fault is gone."""

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
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.alerts import alerts_of
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_alerts,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.rule_file import rule_document
from conftest import reference

RUNBOOKS = "https://wiki.example.com/kafka/runbooks"
ALERTS = alerts_of(read_alerts())


@pytest.fixture
def pager():
    """A receiver that stands in for the pager: its address, and the events it was sent."""
    events: queue.Queue = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            events.put((self.path, json.loads(body)))
            self.send_response(202)
            self.end_headers()
            self.wfile.write(b'{"status": "success", "message": "Event processed"}')

        def log_message(self, *_):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v2/enqueue", events
        server.shutdown()


@pytest.fixture
def alertmanager(folder, pager):
    """Alertmanager with our routes; gives the address of its interface."""
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


def tell(address, alerts, timeout=30):
    """Hand alerts over as Prometheus does, once somebody listens."""
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
            assert time.monotonic() < end, f"{address} does not answer"
            time.sleep(0.2)


def firing(name, **labels):
    """An alert with the texts of its rule, as Prometheus would have filled them in."""
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


def test_a_page_is_a_valid_event_of_the_pager_and_resolves(alertmanager, pager):
    broker = firing("BrokerDown", cluster="main", host="node1", instance="kafka1")
    told = time.monotonic()
    tell(alertmanager, [broker])
    path, event = pager[1].get(timeout=30)
    assert time.monotonic() - told < 20
    assert path == "/v2/enqueue"
    # What Events API v2 requires, and its limits.
    assert event["routing_key"] == "0" * 32
    assert event["event_action"] == "trigger"
    assert 0 < len(event["dedup_key"]) <= 255
    payload = event["payload"]
    assert payload["summary"] == "main: as it is"
    assert payload["source"]
    assert payload["severity"] in {"critical", "error", "warning", "info"}
    # What somebody at night wants to know.
    assert (payload["group"], payload["component"]) == ("main", "node1")
    assert payload["custom_details"]["instance"] == "kafka1"
    assert event["links"] == [{"href": f"{RUNBOOKS}/BrokerDown.md", "text": "What to do"}]

    gone = {**broker, "endsAt": (datetime.now(UTC) - timedelta(seconds=1)).isoformat()}
    tell(alertmanager, [gone])
    _, resolved = pager[1].get(timeout=60)
    assert resolved["event_action"] == "resolve"
    assert resolved["dedup_key"] == event["dedup_key"]


def test_a_cause_keeps_its_consequences_from_the_pager(alertmanager, pager):
    cause = firing("HostDown", cluster="main", host="node1")
    consequence = firing("BrokerDown", cluster="main", host="node1", instance="kafka1")
    elsewhere = firing("BrokerDown", cluster="main", host="node2", instance="kafka2")
    tell(alertmanager, [cause, consequence, elsewhere])
    events = [pager[1].get(timeout=30)[1]["payload"] for _ in range(2)]
    assert {(e["class"], e["component"]) for e in events} == {
        ("HostDown", "node1"),
        ("BrokerDown", "node2"),
    }


def test_a_ticket_wakes_nobody(alertmanager, pager):
    tell(alertmanager, [firing("DiskSlow", cluster="main", host="node1", device="sdb")])
    tell(alertmanager, [firing("BrokerDown", cluster="main", host="node1", instance="kafka1")])
    _, event = pager[1].get(timeout=30)
    assert event["payload"]["class"] == "BrokerDown"
    assert pager[1].empty()
