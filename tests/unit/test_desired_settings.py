"""Overrides of a site, the printed table, and the documentation generated from the data."""

import subprocess
from pathlib import Path

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.filter import zookeeper as zookeeper_filters
from ansible_collections.metal.kafka.plugins.module_utils._host.tuning.desired_settings import (
    TuningError,
    merge,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._operations import tuning_report

ROOT = Path(__file__).resolve().parents[2]
TABLE = {
    "vm.swappiness": {"value": 1, "default": 60, "reason": "Heaps stay\nin memory."},
    "vm.max_map_count": {"value": 262144, "rule": "at_least", "reason": "Maps."},
    "limits.nofile": {"value": 100000, "rule": "at_least", "reason": "Files."},
    "disk.scheduler.solid": {"value": "none", "reason": "No seeks."},
}


def values(overrides):
    return {s["name"]: (s["value"], s["rule"]) for s in merge(TABLE, overrides)}


def test_defaults_of_the_table_apply():
    assert values({}) == {
        "vm.swappiness": ("1", "exactly"),
        "vm.max_map_count": ("262144", "at_least"),
        "limits.nofile": ("100000", "at_least"),
        "disk.scheduler.solid": ("none", "exactly"),
    }
    assert merge(TABLE, {})[0]["reason"] == "Heaps stay in memory."


def test_site_s_value_overrides_and_is_exact():
    assert values({"vm.max_map_count": 131072})["vm.max_map_count"] == ("131072", "exactly")
    assert values({"limits.nofile": 20000})["limits.nofile"] == ("20000", "at_least")


def test_null_omits_a_setting():
    assert "vm.swappiness" not in values({"vm.swappiness": None})


@pytest.mark.parametrize(
    ("value", "text"), [(False, "0"), ([4096, 87380, 1], "4096 87380 1"), ("a\t b", "a b")]
)
def test_any_kernel_parameter_is_allowed(value, text):
    assert values({"net.ipv4.x": value})["net.ipv4.x"] == (text, "exactly")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("disk.scheduler.sold", "did you mean disk.scheduler.solid?"),
        ("vn.swappiness", "did you mean vm.swappiness?"),
        ("swapiness", "any kernel parameter, and limits.nofile, disk.scheduler.solid"),
    ],
)
def test_unknown_setting_is_refused(name, message):
    with pytest.raises(TuningError) as error:
        merge(TABLE, {name: 1})
    assert repr(name) in str(error.value)
    assert message in str(error.value)


def row(name, state, **more):
    return {"name": name, "wanted": "1", "persisted": "", "live": "60", "state": state, **more}


DRIFTED = {
    "m1": {"settings": [row("vm.swappiness", "drift", detail="because")], "enforced": True},
    "m2": {"settings": [row("vm.swappiness", "not_allowed")], "enforced": True},
    "laptop": {"settings": [row("vm.swappiness", "drift")], "enforced": False},
}


def test_drift_has_host_setting_and_values():
    result = tuning_report.verify(DRIFTED)
    assert result["drift"] == ["m1: vm.swappiness: wanted 1, persisted nothing, live 60"]
    lines = result["text"].splitlines()
    assert "  vm.swappiness  1       -          60    drift" in lines
    assert "    because" in lines
    assert "m2: 1 settings, no drift; 1 not allowed here" in lines
    assert "laptop: 1 of 1 differ; advice: host_tuning_mode is report" in lines
    assert lines[-1] == (
        "verify: 1 setting(s) drifted; 1 setting(s) differ on hosts in mode report, not counted"
    )


def test_table_has_at_most_120_columns():
    name = "net.ipv4.tcp_slow_start_after_idle"
    long = row(name, "not_allowed", detail="x", persisted="100000:1048576", live="9" * 19)
    assert max(map(len, tuning_report.lines("m1", [long]))) <= 120


def test_documentation_matches_the_data():
    script = ROOT / "scripts/render-tuning"
    done = subprocess.run([script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_setting_has_reason_default_and_rule():
    table = yaml.safe_load((ROOT / "roles/host/vars/main.yml").read_text())["__host_tuning_table"]
    assert len(table) > 20
    for name, entry in table.items():
        assert len(entry["reason"]) > 20, name
        assert "default" in entry, name
        assert entry.get("rule", "exactly") in {"exactly", "at_least"}, name
        assert entry.keys() <= {
            "value", "default", "reason", "rule", "text", "effect", "percent_of_memory"
        }, name  # fmt: skip
        assert "{{" not in str(entry.get("text", entry["value"])), f"{name}: the docs need a text"


def test_secrets_to_rotate_are_below_the_table_and_count_as_drift():
    result = tuning_report.verify({}, ["password alice"])
    assert result["text"].splitlines() == [
        "verify: no drift",
        "verify: 1 secret(s) could be read by others in an earlier release; required: a new one, "
        "by make rotate",
        "  password alice",
    ]
    assert result["drift"][0].startswith("password alice: could be read by others")


def test_undeclared_access_to_zookeeper_is_below_the_table_and_counts_as_drift():
    found = zookeeper_filters.drift(
        [{"zookeeper_server_id": 1, "zookeeper_shared_trust": ["CN=prod CA"]}, {}],
        ["/: found world:anyone:cdrwa; declared: x509:CN=broker-1:cdrwa"],
    )
    printed = tuning_report.verify({}, [], found)
    assert printed["text"].splitlines() == [
        "verify: no drift",
        "verify: the metadata ensemble grants more access than declared",
        "  zk1: the quorum trusts CN=prod CA, which issues certificates of clients: every client "
        "can join as an observer and read all data",
        "  znode /: found world:anyone:cdrwa; declared: x509:CN=broker-1:cdrwa",
        "  make zookeeper-trust fixes it without downtime: docs/operate/guides/security.md",
    ]
    assert printed["drift"] == found
