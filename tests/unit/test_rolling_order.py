from pathlib import Path

import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.rolling_order import (
    RollHost,
    batches,
    failure_message,
    last_hosts,
    read,
)

ROOT = Path(__file__).parents[2]


def test_racks_restart_one_after_the_other_and_the_leaders_rack_last():
    hosts = [
        RollHost("kafka1", "a", leads=True),
        RollHost("kafka2", "b"),
        RollHost("kafka10", "a"),
        RollHost("kafka3", "c"),
        RollHost("kafka4", "a"),
        RollHost("kafka5", "b"),
    ]
    assert batches(hosts) == [["kafka2"], ["kafka5"], ["kafka3"], ["kafka4"], ["kafka10"]]
    assert last_hosts(hosts) == ["kafka1"]


def test_rack_can_restart_together_without_the_leader():
    hosts = [RollHost(f"kafka{n}", "ab"[n % 2], n == 1, together=True) for n in range(1, 6)]
    assert batches(hosts) == [["kafka2", "kafka4"], ["kafka3", "kafka5"]]


def test_new_leader_restarts_after_the_old_leader():
    hosts = [RollHost("kafka1", leads=True), RollHost("kafka2", deferred=True), RollHost("kafka3")]
    assert last_hosts(hosts) == ["kafka1", "kafka2"]


def test_hosts_without_restart_order_are_left_out():
    hosts = [
        {"inventory_hostname": "a", "roll_restart_order": {"rack": "r", "leads": True}},
        {"inventory_hostname": "b"},
        {
            "inventory_hostname": "c",
            "roll_restart_order": {"together": True},
            "roll_deferred": True,
        },
    ]
    assert read(hosts) == [RollHost("a", "r", True), RollHost("c", together=True, deferred=True)]


def test_failure_message_has_host_reason_and_rollback():
    text = failure_message(
        "node1",
        "kafka_broker",
        "It ends.",
        stopped=True,
        brought_back=True,
        undone=["server.properties: log.segment.bytes"],
        log=["Invalid value 1"],
    )
    assert text.splitlines() == [
        "node1: the kafka broker did not become healthy as declared. It ends.",
        "Differences from its last good declaration: server.properties: log.segment.bytes.",
        "Its last good declaration was restored, and the cluster is healthy.",
        "Later hosts were not changed.",
        "Log tail:",
        "Invalid value 1",
    ]


def test_refusal_message_states_that_nothing_was_stopped():
    text = failure_message(
        "node1", "kafka_broker", "a-0 would.", stopped=False, brought_back=False, undone=[], log=[]
    )
    assert text == "node1: the kafka broker was not stopped, nor any later host. a-0 would."


def test_alerts_are_silenced_only_between_gate_and_health_check():
    """Before the gate, a silence would hide instances that are already down."""
    tasks = yaml.safe_load((ROOT / "roles/roll/tasks/restart.yml").read_text())
    (block,) = (each["block"] for each in tasks if "block" in each)
    silence = {
        each["vars"]["__roll_silence_state"]: place
        for place, each in enumerate(block)
        if each.get("ansible.builtin.include_tasks") == "silence.yml"
    }
    roles = {
        each["ansible.builtin.include_role"]["tasks_from"]: place
        for place, each in reversed(list(enumerate(block)))
        if "ansible.builtin.include_role" in each
    }
    assert roles["gate"] < silence["silenced"] < roles["service"]
    assert roles["health"] < silence["unsilenced"]
    lock = (ROOT / "roles/roll/tasks/lock.yml").read_text()
    assert "state: silenced" not in lock
