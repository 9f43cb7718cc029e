import re

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.plan_changes import (
    container_change,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.plan_report import (
    Plan,
    format_minutes,
)

CONTAINER = "community.docker.docker_container"
FILES = "metal.kafka.service_files"
RUNS = "metal.kafka.service : Create, update or start the container: kafka1"
HASH = {"kafka-metal.hash": "a", "other": "x"}


def diff(before, after, **more):
    return {"changed": True, "diff": {"before": before, "after": after}, **more}


def restart(**after):
    """A result for a container whose only difference is ``after``."""
    return diff(dict.fromkeys(after), after, container={"Name": "/local-kafka1"})


def texts(plan, host="node1"):
    return [each.text for each in plan.hosts.get(host, [])]


def test_run_without_changes_has_one_line():
    plan = Plan("local")
    plan.begin("Kafka")
    plan.add("node1", CONTAINER, RUNS, {"changed": False, "diff": {"before": {}, "after": {}}})
    plan.add("node1", "metal.kafka.topics", "Topics", {"changed": False, "steps": []})
    assert plan.lines(30, []) == ["plan: nothing to do"]
    assert plan.report(30, []) == {
        "cluster": "local",
        "failed": [],
        "changes": 0,
        "hosts": {},
        "restarts": [],
        "starts": [],
        "stops": [],
        "seconds": 0,
    }


def test_last_line_counts_messages():
    plan = Plan()
    plan.add("node1", "metal.kafka.data_disks", "Disks", {"changed": True, "steps": ["a", "b"]})
    plan.add("node2", "metal.kafka.data_disks", "Disks", {"changed": True, "steps": ["a"]})
    assert plan.lines(0, [])[-1] == "plan: 3 changes"
    assert plan.report(0, [])["changes"] == 3


def test_change_that_is_compared_and_applied_counts_once():
    plan = Plan("local")
    for play in ("Compare", "Restart"):
        plan.begin(play)
        plan.add("node1", FILES, "Files", {"changed": True, "steps": ["a.properties: x 1 -> 2"]})
        plan.add("node1", CONTAINER, RUNS, restart(pids_limit=2))
    assert plan.count == 2


def test_steps_of_an_unchanged_result_are_no_change():
    plan = Plan()
    plan.add("node1", FILES, "Files", {"changed": False, "steps": ["a is written"]})
    assert plan.count == 0


@pytest.mark.parametrize(
    ("before", "after", "text", "kind"),
    [
        ({"exists": False}, {"exists": True}, "container c is created and starts", "start"),
        (
            {"exists": False, "running": False},
            {"exists": True, "running": True},
            "container c is created and starts",
            "start",
        ),
        ({"running": False}, {"running": True}, "container c starts: it is not running", "start"),
        (
            {"running": False, "memory": 1},
            {"running": True, "memory": 2},
            "container c starts: it is not running (memory 1 -> 2)",
            "start",
        ),
        ({"exists": True}, {"exists": False}, "container c stops", "stop"),
        ({"init": 1}, {"init": 2}, "container c restarts: init 1 -> 2", "restart"),
        ({"memory": 1}, {"memory": 2}, "container c: limits are restored: memory 1 -> 2", "other"),
        (
            {"env": ["HEAP=4g", "SECRET=a"]},
            {"env": ["HEAP=6g", "SECRET=b", "NEW=1"]},
            "container c restarts: HEAP 4g -> 6g, NEW (not set) -> 1, SECRET (hidden) -> (hidden)",
            "restart",
        ),
        (
            {"image": "sha256:1", "mounts": [{"source": "/a"}]},
            {"image": "sha256:2", "mounts": [{"source": "/b"}]},
            "container c restarts: image, mounts",
            "restart",
        ),
        (
            {"labels": HASH},
            {"labels": {**HASH, "kafka-metal.hash": "b"}},
            "container c restarts: its declaration differs",
            "restart",
        ),
        (
            {"labels": HASH},
            {"labels": {**HASH, "other": "y"}},
            "container c restarts: label other x -> y",
            "restart",
        ),
    ],
)
def test_container_change_has_its_reasons(before, after, text, kind):
    change = container_change("c", diff(before, after), [])
    assert (change.text, change.kind, change.subject) == (text, kind, "c")


def test_changed_files_are_a_reason_for_a_restart():
    plan = Plan("local")
    path = "/etc/kafka-metal/local-kafka1/server.properties"
    step = "local-kafka1/server.properties: num.io.threads 8 -> 16"
    files = {"changed": True, "steps": [step], "diff": [{"after_header": path}]}
    plan.add("node1", FILES, "Files", files)
    plan.add("node1", CONTAINER, RUNS, restart(labels={"kafka-metal.hash": "b"}))
    assert texts(plan) == [step, "container kafka1 restarts: server.properties"]
    assert plan.report(0, [])["restarts"] == ["kafka1"]


def test_new_container_has_the_name_of_its_instance():
    plan = Plan("local")
    # Ansible renders a task's name for the first host only.
    labels = {"kafka-metal.instance": "kafka2"}
    made = diff(
        {"exists": False},
        {"exists": True},
        container=None,
        actions=[{"pulled": "x"}, {"create_parameters": {"Labels": labels}}],
    )
    plan.add("node2", CONTAINER, RUNS, made)
    plan.add(
        "node3",
        "ansible.builtin.set_fact",
        "metal.kafka.service : Report that the container would be replaced: zk1",
        {"changed": True, "ansible_facts": {"__service_container_result": {"name": "zk3"}}},
    )
    assert plan.report(0, [])["starts"] == ["kafka2", "zk3"]


@pytest.mark.parametrize(
    ("container", "text"),
    [
        ({}, "container zk3 is created and starts"),
        ({"State": {"Running": False}}, "container zk3 is created and starts"),
        ({"State": {"Running": True}}, "container zk3 restarts: image"),
    ],
)
def test_missing_image_restarts_a_running_container(container, text):
    plan = Plan("local")
    found = {"changed": True, "name": "zk3", "container": container}
    result = {"changed": True, "ansible_facts": {"__service_container_result": found}}
    task = "Report that the container would be replaced: zk1"
    plan.add("node1", "ansible.builtin.set_fact", task, result)
    assert texts(plan) == [text]


def test_other_tasks_are_reported_by_name_and_items():
    plan = Plan()
    copied = {"changed": True}
    plan.add("node1", "ansible.builtin.copy", "metal.kafka.host : Client is there", copied)
    loop = {
        "changed": True,
        "results": [
            {"changed": True, "item": "a"},
            {"changed": False, "item": "b"},
            {"changed": True, "item": {"long": 1}, "_ansible_item_label": "c"},
        ],
    }
    plan.add("node1", "ansible.builtin.file", "Directory is there", loop)
    assert texts(plan) == ["Client is there", "Directory is there (a)", "Directory is there (c)"]


def test_hidden_results_stay_hidden():
    plan = Plan()
    hidden = {"changed": True, "censored": "the output has been hidden"}
    plan.add("node1", "ansible.builtin.copy", "Key is there", hidden)
    items = [{"changed": True, "item": "hunter2", "_ansible_no_log": True}]
    plan.add("node1", "ansible.builtin.copy", "User is there", {"changed": True, "results": items})
    assert texts(plan) == ["Key is there", "User is there"]


def test_changed_debug_task_is_a_change_and_other_debug_task_a_note():
    plan = Plan()
    plan.add(
        "node1", "ansible.builtin.debug", "Engine", {"changed": True, "msg": ["a is built", "b"]}
    )
    plan.add("node1", "ansible.builtin.debug", "Note", {"changed": False, "msg": "look here"})
    plan.add("node2", "ansible.builtin.debug", "Note", {"changed": False, "msg": ["look here"]})
    assert texts(plan) == ["a is built", "b"]
    assert plan.notes == ["look here"]
    assert plan.lines(0, [])[0] == "note: look here"


def test_topic_changes_belong_to_the_cluster():
    plan = Plan()
    plan.add("node1", "metal.kafka.topics", "Topics", {"changed": True, "steps": ["create a"]})
    plan.add("node2", "x.y.z", "Once", {"changed": True, "steps": ["b"]}, once=True)
    assert texts(plan, "cluster") == ["create a", "b"]


def test_duration_is_batches_times_measured_or_assumed_seconds():
    plan = Plan("local", {"Restart": 42.0})
    plan.begin("Images")
    plan.add("node1", "ansible.builtin.debug", "I", {"changed": True, "msg": "a is built"})
    for host in ("node1", "node2", "node3"):
        plan.begin("Restart")
        plan.add(host, CONTAINER, RUNS, restart(pids_limit=2))
    plan.begin("Wait")
    assert plan.seconds(inspection=30) == 30 + 300 + 3 * 42
    assert plan.lines(30, [])[-6:] == [
        "restart: kafka1, kafka1, kafka1",
        "expected: about 8 minutes",
        "  30 s measured: comparison with hosts and cluster, as long as this plan",
        "  300 s assumed: Images",
        "  3 x 42 s measured: Restart",
        "plan: 4 changes",
    ]


def test_lines_of_the_expected_time_add_up_to_it():
    plan = Plan("local", {"Restart": 42.0})
    for play in ("Restart", "Restart", "Images"):
        plan.begin(play)
        plan.add(f"node{len(plan.hosts)}", "x.y.z", "Task", {"changed": True})
    rows = [re.match(r"  (?:(\d+) x )?(\d+) s ", line) for line in plan.summary(95)]
    seconds = sum(int(row[1] or 1) * int(row[2]) for row in rows if row)
    assert seconds == plan.seconds(95) == plan.report(95, [])["seconds"]


def test_failed_run_is_reported_instead_of_a_plan():
    plan = Plan()
    plan.add("node1", "x.y.z", "Task", {"changed": True})
    assert plan.lines(0, {"node2"})[-1].startswith("plan: failed on node2")


@pytest.mark.parametrize(
    ("seconds", "text"), [(1, "1 minute"), (60, "1 minute"), (61, "2 minutes")]
)
def test_minutes_are_rounded_up(seconds, text):
    assert format_minutes(seconds) == f"about {text}"
