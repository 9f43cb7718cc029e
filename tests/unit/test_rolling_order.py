from pathlib import Path

import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.rolling_order import (
    Turn,
    at_the_end,
    batches,
    failure,
    read,
)

ROOT = Path(__file__).parents[2]


def test_a_rack_is_done_before_the_next_and_the_leaders_rack_comes_last():
    turns = [
        Turn("kafka1", "a", leads=True),
        Turn("kafka2", "b"),
        Turn("kafka10", "a"),
        Turn("kafka3", "c"),
        Turn("kafka4", "a"),
        Turn("kafka5", "b"),
    ]
    assert batches(turns) == [["kafka2"], ["kafka5"], ["kafka3"], ["kafka4"], ["kafka10"]]
    assert at_the_end(turns) == ["kafka1"]


def test_a_rack_may_restart_together_but_for_the_leader():
    turns = [Turn(f"kafka{n}", "ab"[n % 2], n == 1, together=True) for n in range(1, 6)]
    assert batches(turns) == [["kafka2", "kafka4"], ["kafka3", "kafka5"]]


def test_who_came_to_lead_goes_after_the_leader_of_the_beginning():
    turns = [Turn("kafka1", leads=True), Turn("kafka2", deferred=True), Turn("kafka3")]
    assert at_the_end(turns) == ["kafka1", "kafka2"]


def test_hosts_without_a_turn_take_no_part():
    hosts = [
        {"inventory_hostname": "a", "roll_restart_order": {"rack": "r", "leads": True}},
        {"inventory_hostname": "b"},
        {
            "inventory_hostname": "c",
            "roll_restart_order": {"together": True},
            "roll_deferred": True,
        },
    ]
    assert read(hosts) == [Turn("a", "r", True), Turn("c", together=True, deferred=True)]


def test_the_last_message_says_who_why_and_what_was_done():
    text = failure(
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
        "It differs from its last good declaration in: server.properties: log.segment.bytes.",
        "It is back on its last good declaration and the cluster is healthy.",
        "Nobody after it was touched.",
        "The end of its log:",
        "Invalid value 1",
    ]


def test_a_refusal_says_that_nothing_was_stopped():
    text = failure(
        "node1", "kafka_broker", "a-0 would.", stopped=False, brought_back=False, undone=[], log=[]
    )
    assert text == "node1: the kafka broker was not stopped, and nobody after it. a-0 would."


def test_alerts_are_silent_from_the_stop_until_the_instance_is_healthy_and_not_before_the_gate():
    """Else what is down already, or is waited for at the gate, would be silent as well."""
    turn = yaml.safe_load((ROOT / "roles/roll/tasks/restart.yml").read_text())
    (block,) = (each["block"] for each in turn if "block" in each)
    silence = {
        each["vars"]["__roll_silence"]: place
        for place, each in enumerate(block)
        if each.get("ansible.builtin.include_tasks") == "silence.yml"
    }
    roles = {
        each["ansible.builtin.include_role"]["tasks_from"]: place
        for place, each in reversed(list(enumerate(block)))
        if "ansible.builtin.include_role" in each
    }
    assert roles["gate"] < silence["silenced"] < roles["service"]
    assert roles["health"] < silence["loud"]
    lock = (ROOT / "roles/roll/tasks/lock.yml").read_text()
    assert "state: silenced" not in lock
