"""Messages on a running or interrupted operation."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template
from ansible_collections.metal.kafka.plugins.module_utils._host import (
    maintenance_files,
    operation_lock,
    operation_state,
)
from ansible_collections.metal.kafka.plugins.module_utils._problems import operation_rules
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_alerts,
)
from plays import ROOT

ME = operation_lock.lock_owner(os.getpid())
NOW = 1_767_225_600.0  # 2026-01-01 00:00 UTC


def dead_owner():
    """A process of this node that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return replace(ME, pid=ended.pid, started="1", user="ops", node=ME.node)


def machine(owner, operation="restart of all", active=0.0, silent=None, now=NOW, since=NOW - 60):
    held = operation_lock.Lock(operation, owner, since).as_dict()
    return {"now": now, "lock": held, "active": active, "silenced_until": silent or {}}


def idle(**silent):
    return {"now": NOW, "lock": None, "active": 0.0, "silenced_until": silent}


def test_idle_cluster_has_no_messages():
    assert operation_state.messages([idle(), None], ME) == ([], [])


def test_interrupted_operation_is_a_problem_with_remedy():
    problems, notes = operation_state.messages(
        [machine(dead_owner(), silent={"kafka2": NOW + 240, "zk1": NOW - 1})], ME
    )
    assert notes == []
    assert problems == [
        f"interrupted: restart of all by ops on {ME.node}, begun 2025-12-31 23:59 UTC; alerts of "
        "kafka2 are silenced until 2026-01-01 00:04 UTC; `make up` starts stopped services and "
        "releases its lock, `make restart` resumes it"
    ]


def test_interrupted_change_is_resumed_by_make_up():
    (problem,), _ = operation_state.messages([machine(dead_owner(), operation="roll")], ME)
    assert problem.endswith("`make up` starts stopped services and releases its lock")


@pytest.mark.parametrize(
    ("playbook", "given", "command"),
    [
        ("restart", {}, "make restart"),
        ("restart", {"restart_services": "kafka"}, "make restart S=kafka"),
        ("restart", {"restart_services": "zookeeper"}, "make restart S=zookeeper"),
        ("reboot", {}, "make reboot"),
        ("topics", {}, "make topics"),
        ("pipelines", {}, "make pipelines"),
        ("upgrade", {}, "make upgrade"),
        ("upgrade", {"upgrade_finish": True}, "make upgrade FINISH=1"),
        ("secure", {}, "make secure"),
        ("zookeeper_trust", {}, "make zookeeper-trust"),
    ],
)
def test_interrupted_command_is_the_one_that_resumes(playbook, given, command):
    plays = yaml.safe_load((ROOT / f"playbooks/{playbook}.yml").read_text())
    variables = [each.get("vars", {}) for each in plays]
    (text,) = [each["lock_operation"] for each in variables if "lock_operation" in each]
    operation = Templar(DataLoader(), variables=given).template(trust_as_template(text))
    (problem,), _ = operation_state.messages([machine(dead_owner(), operation=operation)], ME)
    assert f", `{command}` resumes it" in problem


def test_running_operation_is_a_note():
    problems, notes = operation_state.messages([machine(ME), machine(ME, since=NOW - 50)], ME)
    assert problems == []
    assert notes == [
        f"under way: restart of all by {ME.user} on {ME.node}, begun 2025-12-31 23:59 UTC, "
        f"process {ME.pid}"
    ]


def test_operation_of_another_node_counts_as_running_while_active():
    there = replace(ME, node="control2", pid=7, user="eve")
    assert operation_state.messages([machine(there, active=NOW - 60)], ME)[0] == []
    (problem,), _ = operation_state.messages([machine(there, active=NOW - 3600)], ME)
    assert problem.startswith("not active for 60 min, maybe interrupted: restart of all by eve")
    assert f"-e unlock={there.token}" in problem


def test_silence_without_lock_is_a_note():
    assert operation_state.messages([idle(kafka1=NOW + 60)], ME) == (
        [],
        ["alerts of kafka1 are silenced until 2026-01-01 00:01 UTC"],
    )


def test_read_returns_lock_and_files(tmp_path):
    locks, texts = tmp_path / "locks", str(tmp_path / "textfile")
    options = {"operation": "roll", "replace": "", "unlock": ""}
    operation_lock.acquire(str(locks / "a.json"), "a", options, ME)
    maintenance_files.begin(texts, "a", "roll", "ops on c1", NOW)
    found = operation_state.read("a", texts, str(locks))
    assert found["lock"]["operation"] == "roll"
    assert found["lock"]["token"] == ME.token
    assert found["active"] == NOW
    assert operation_state.read("b", texts, str(locks))["lock"] is None


def test_alert_uses_the_inactive_time_of_screens():
    limits = {name: entry.get("limits") for name, entry in read_alerts().items()}
    assert limits["MaintenanceMarkerExpired"] == {"seconds": operation_rules.INACTIVE_S}
