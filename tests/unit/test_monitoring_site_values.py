"""Exporter and alerts have the values that screens have: days until expiry, order of services."""

import json
import os
import subprocess
from pathlib import Path

import yaml
from ansible_collections.metal.kafka.plugins.filter.monitoring import alert_rules
from ansible_collections.metal.kafka.plugins.module_utils._problems import certificate_problems
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_alerts,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site.inventory import DEFAULTS

ROOT = Path(__file__).parents[2]
UNUSED = {
    "monitoring_kafka_options": {},
    "monitoring_kafka_files": [],
    "monitoring_certificates": [],
    "monitoring_ca_file": "",
    "monitoring_targets": {},
    "monitoring_proxies": {},
    "monitoring_web_password": "",
    "monitoring_spark_page_login": "",
    "monitoring_entries": ["exporter", "prometheus"],
    "monitoring_machine": "node1",
    "monitoring_bind": "127.0.0.1",
    "monitoring_groups_excluded": "",
    "monitoring_ready_endpoints": [],
}


def expression(rules: str) -> str:
    """PromQL of the alert CertificateExpires in a rule file."""
    (found,) = (
        rule["expr"]
        for group in yaml.safe_load(rules)["groups"]
        for rule in group["rules"]
        if rule.get("alert") == "CertificateExpires"
    )
    return str(found)


def test_exporter_and_alert_use_the_days_and_places_of_the_site(tmp_path):
    content = "{{ {'page': __monitoring_entries.exporter.secret_files[0].content | from_json, "
    content += "'rules': __monitoring_entries.prometheus.files[0].content} | to_json }}"
    play = {
        "hosts": "m1",
        "connection": "local",
        "gather_facts": False,
        "vars_files": [
            str(ROOT / f"roles/monitoring/{folder}/main.yml") for folder in ("defaults", "vars")
        ],
        "tasks": [
            {
                "name": "Write the files",
                "ansible.builtin.copy": {
                    "dest": str(tmp_path / "found.json"), "mode": "0600", "content": content,
                },
                "vars": UNUSED,
            }
        ],
    }  # fmt: skip
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    hosts = {"m1": {"cluster_name": "c", "security_warn_days": 30}}
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"monitoring": {"hosts": hosts}}))
    done = subprocess.run(
        ["ansible-playbook", "-i", str(tmp_path / "hosts.yml"), str(tmp_path / "play.yml")],
        env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-4000:]
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["page"]["warn_days"] == 30
    assert [
        (each["instance"], each["group"], each["machine"])
        for each in found["page"]["places"]
        if each["kind"] in ("exporter", "prometheus")
    ] == [("exporter@m1", "monitoring", "m1"), ("prometheus@m1", "monitoring", "m1")]
    assert "< 30)" in expression(found["rules"])


def test_a_limit_of_the_site_takes_precedence():
    limits = {"CertificateExpires": {"days": 30}}
    changes = {"CertificateExpires": {"limits": {"days": 5}}}
    own = {"CertificateExpires": {"expr": "certificate_days < 9", "limits": {}}}

    assert "< 30)" in expression(alert_rules({}, limits=limits))
    assert "< 5)" in expression(alert_rules(changes, limits=limits))
    assert "(certificate_days < 9)" in expression(alert_rules(own, limits=limits))


def test_defaults_of_alerts_are_those_of_screens():
    limits = {name: entry.get("limits") for name, entry in read_alerts().items()}
    assert limits["CertificateExpires"] == {"days": DEFAULTS["security_warn_days"]}
    assert limits["CertificateExpiresSoon"] == {"days": certificate_problems.URGENT_DAYS}
