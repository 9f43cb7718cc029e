"""Prometheus and Alertmanager accept the configuration that we write."""

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.alertmanager import (
    alertmanager_config,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.alerts import parse_alerts
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_alerts,
    read_jobs,
    read_records,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.prometheus import (
    prometheus_config,
    target_file,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.rule_file import rule_document

ALERTS = parse_alerts(read_alerts())
RECEIVERS = {
    "page": {
        "pagerduty": [{"routing_key": "0" * 32}],
        "slack": [{"api_url": "https://hooks.example.com/x", "channel": "#kafka"}],
    },
    "ticket": {
        "mail": [{"to": "a@example.com", "from": "b@example.com", "smarthost": "mx:25"}],
        "slack": [{"api_url": "https://hooks.example.com/x", "channel": "#kafka"}],
    },
    "heartbeat": {"webhook": [{"url": "https://heartbeat.example.com/x"}]},
}


def test_prometheus_accepts_its_configuration_with_rules_and_targets(folder, promtool):
    config = prometheus_config(
        read_jobs(),
        ["localhost:9093"],
        {"kafka": {"scheme": "https", "basic_auth": {"username": "u", "password": "p"}}},
        folder="/work",
    )
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    (folder / "rules.yml").write_text(yaml.safe_dump(rule_document(ALERTS, read_records())))
    broker = {"address": "h:1", "cluster": "main", "host": "h", "instance": "kafka1"}
    for job in read_jobs():
        (folder / f"targets-{job}.json").write_text(target_file(job, [broker]))
    done = promtool("check", "config", "prometheus.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SUCCESS: prometheus.yml is valid" in done.stdout


@pytest.mark.parametrize("runbooks", ["docs/operate/alerts", "https://wiki.example.com/kafka"])
def test_alertmanager_accepts_its_configuration(runbooks, folder, amtool):
    config = alertmanager_config(ALERTS, RECEIVERS, runbooks)
    (folder / "alertmanager.yml").write_text(yaml.safe_dump(config))
    done = amtool("check-config", "alertmanager.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 receivers" in done.stdout


@pytest.mark.parametrize(
    ("alert", "receiver"),
    [
        ("BrokerDown", "page"),
        ("DiskSlow", "ticket"),
        ("Heartbeat", "heartbeat"),
    ],
)
def test_an_alert_is_routed_to_the_receiver_of_its_severity(alert, receiver, folder, amtool):
    config = alertmanager_config(ALERTS, RECEIVERS)
    (folder / "alertmanager.yml").write_text(yaml.safe_dump(config))
    (severity,) = [each.severity for each in ALERTS if each.name == alert]
    done = amtool(
        *("config", "routes", "test", "--config.file=alertmanager.yml"),
        *(f"alertname={alert}", "cluster=main", f"severity={severity}"),
    )
    assert (done.returncode, done.stdout.strip()) == (0, receiver), done.stderr
