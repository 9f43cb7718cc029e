"""The state of a platform: machines, their engines and containers, and one list of problems."""

import os
from dataclasses import replace

import pytest
from ansible_collections.metal.kafka.plugins.filter.status import platform_state
from ansible_collections.metal.kafka.plugins.module_utils._host import operation_lock
from ansible_collections.metal.kafka.plugins.module_utils._problems.platform_problem import Problem
from kafka_metal_client import status
from kafka_metal_client.tables import Paint

WELL = {
    "engine_error": "", "running": 2, "containers": [], "has_services": True,
    "operation": {"now": 0.0, "lock": None, "active": 0, "silenced_until": {}},
}  # fmt: skip
PLACES = [
    {"instance": "zk1", "group": "zookeeper", "machine": "node1", "kind": "zookeeper"},
    {"instance": "kafka1", "group": "kafka", "machine": "node1", "kind": "kafka"},
    {"instance": "kafka2", "group": "kafka", "machine": "node2", "kind": "kafka"},
    {"instance": "probe@node2", "group": "monitoring", "machine": "node2", "kind": "probe"},
]
ROW = {"name": "kafka2", "kind": "kafka", "state": "running", "health": "healthy"}


def state_of(machines=None, **facts):
    hosts = {name: {"roll_platform_status": found} for name, found in (machines or {}).items()}
    hosts["kafka1"] = {f"{name}_platform_status": found for name, found in facts.items()}
    return platform_state(hosts, "prod", ["node1:9092"], "", PLACES, 14)


def kinds(state):
    return [(each["kind"], each["where"]) for each in state["problems"]]


def test_responding_engine_is_a_row_and_no_problem():
    state = state_of({"node1": WELL})
    assert [row["name"] for row in state["services"]] == ["engine@node1"]
    assert state["problems"] == []


@pytest.mark.parametrize(
    ("found", "kind", "message"),
    [
        ({**WELL, "engine_error": "s: refused"}, "EngineDown", "(s: refused): make up starts it"),
        ({**WELL, "engine_error": "s: timed out"}, "EngineDown", "it hangs, restart it"),
        ({**WELL, "engine_error": "not installed"}, "EngineDown", "node1 has no container engine"),
        ({"unreachable": True, "msg": "ssh"}, "MachineUnreachable", "machine node1 is unreachable"),
        ({"msg": "No space left"}, "ReadFailed", "node1 was not read: No space left"),
    ],
)
def test_a_machine_that_cannot_be_read_is_a_problem_with_its_reason(found, kind, message):
    state = state_of({"node1": found})
    assert kinds(state) == [(kind, "node1")]
    text, problems = status.render(state, Paint(False))
    assert problems
    assert message in text
    assert "engine@node1  engine  down" in text


def test_a_connection_that_fails_is_a_problem_unless_its_machine_is_unreachable():
    missing = {"instance": "kafka2", "machine": "node2", "address": "10.0.0.2", "port": 9192}
    failing = {**WELL, "failed_connections": [{**missing, "state": "timeout"}]}
    assert kinds(state_of({"node1": failing, "node2": WELL})) == [("ConnectionFails", "node1")]
    absent = {"unreachable": True, "msg": "ssh"}
    assert kinds(state_of({"node1": failing, "node2": absent})) == [("MachineUnreachable", "node2")]


def test_what_follows_from_a_machine_comes_after_it():
    down = Problem("ServiceDown", "kafka2", "broker 2 is not registered").as_dict()
    lagging = Problem("PartitionsUnderReplicated", "kafka", "9 partitions lag").as_dict()
    state = state_of(
        {"node1": WELL, "node2": {"unreachable": True}},
        kafka={"problems": [lagging, down], "services": [ROW]},
    )
    assert kinds(state) == [
        ("MachineUnreachable", "node2"),
        ("ServiceDown", "kafka2"),
        ("PartitionsUnderReplicated", "kafka"),
    ]
    because = {"kind": "MachineUnreachable", "where": "node2"}
    assert [each["because"] for each in state["problems"]] == [None, because, because]


def test_a_row_agrees_with_the_problems_of_its_instance():
    dead = Problem("ServiceDown", "kafka2", "broker 2 does not respond").as_dict()
    state = state_of(kafka={"problems": [dead], "services": [ROW]})
    (row,) = state["services"]
    assert (row["state"], row["health"]) == ("down", "")

    broken = Problem("LogDirOffline", "kafka2", "broker 2: log dir").as_dict()
    (row,) = state_of(kafka={"problems": [broken], "services": [ROW]})["services"]
    assert (row["state"], row["health"]) == ("running", "degraded")


def test_equal_problems_of_machines_are_one_line_and_every_row_agrees():
    absent = {"unreachable": True, "msg": "ssh"}
    dead = [
        Problem("ServiceDown", f"kafka{number}", f"broker {number} does not respond").as_dict()
        for number in (1, 2)
    ]
    rows = [{**ROW, "name": "kafka1"}, ROW]
    state = state_of({"node1": absent, "node2": absent}, kafka={"problems": dead, "services": rows})
    assert {row["state"] for row in state["services"]} == {"down"}
    text, problems = status.render(state, Paint(False))
    assert problems == [
        "machine node1 is unreachable: its containers were not checked; also node2",
        "broker 1 does not respond; also kafka2",
    ]
    assert "\n4 problems:\n" in text


def test_a_container_has_the_place_of_its_instance():
    stopped = Problem("ContainerStopped", "probe1", "probe1 is stopped").as_dict()
    found = {**WELL, "containers": [{**stopped, "service": "probe"}]}
    assert kinds(state_of({"node2": found})) == [("ContainerStopped", "probe@node2")]


def test_a_missing_container_has_the_place_of_its_instance():
    missing = Problem("ContainerMissing", "probe1", "probe1 has no container").as_dict()
    state = state_of({"node2": {**WELL, "containers": [missing]}})
    assert kinds(state) == [("ContainerMissing", "probe@node2")]


def test_an_undeclared_container_keeps_its_name():
    """Not that of the declared one of its kind on the machine."""
    other = Problem("ContainerUndeclared", "probe9", "probe9 runs on node2").as_dict()
    found = {**WELL, "containers": [other]}
    assert kinds(state_of({"node2": found})) == [("ContainerUndeclared", "probe9")]


def test_a_stopped_cluster_names_undeclared_containers():
    other = Problem("ContainerUndeclared", "kafka9", "kafka9 runs on node2").as_dict()
    found = all_stopped("node2")
    state = state_of({"node2": {**found, "containers": [*found["containers"], other]}})
    assert kinds(state) == [("ContainerStopped", ""), ("ContainerUndeclared", "kafka9")]


def all_stopped(machine):
    found = Problem("ContainerStopped", machine, f"all 2 containers on {machine} are stopped")
    return {**WELL, "running": 0, "containers": [replace(found, since=1_767_225_600).as_dict()]}


def test_a_stopped_cluster_has_no_services_and_one_problem():
    facts = {
        "kafka": {"problems": [Problem("ServiceDown", "kafka2", "refused").as_dict()],
                  "services": [ROW], "cluster_info": {"reachable": False}},
        "monitoring": {"services": [{**ROW, "name": "probe@node2", "kind": "monitoring"}]},
        "pipeline": {"pipelines": [{"name": "p", "state": "unreachable"}]},
    }  # fmt: skip
    state = state_of({name: all_stopped(name) for name in ("node1", "node2")}, **facts)
    text, problems = status.render(state, Paint(False))
    assert text == (
        "Cluster prod\n\n1 problem:\n"
        "  the cluster is stopped: none of its containers runs on node1, node2 "
        "(since 2026-01-01 00:00 UTC)\n    -> make up\n"
    )
    assert len(problems) == 1
    # One machine that runs, or that does not respond.
    for other in (WELL, {"unreachable": True, "msg": "ssh"}, {**WELL, "engine_error": "refused"}):
        assert state_of({"node1": all_stopped("node1"), "node2": other}, **facts)["services"]


def test_rows_of_a_machine_whose_containers_are_stopped_are_down():
    rows = [{**ROW, "name": name} for name in ("kafka1", "kafka2", "probe@node2")]
    state = state_of({"node1": WELL, "node2": all_stopped("node2")}, kafka={"services": rows})
    assert [row["state"] for row in state["services"]][:3] == ["running", "down", "down"]


def test_certificates_that_expire_soon_are_problems():
    expiry = [
        {"kind": "certificate", "name": name, "days_left": days, "not_after": "2026-02-01"}
        for name, days in (("kafka1", 300), ("kafka2", 13))
    ]
    state = state_of(security={"expiry": expiry})
    assert [each["name"] for each in state["certificates"]] == ["kafka2"]
    assert kinds(state) == [("CertificateExpires", "kafka2")]


def test_an_interrupted_operation_explains_a_stopped_container():
    stopped = Problem("ContainerStopped", "kafka2", "kafka2 is stopped").as_dict()
    interrupted = Problem("OperationInterrupted", "", "interrupted: restart").as_dict()
    state = state_of(
        {"node2": {**WELL, "containers": [{**stopped, "service": "kafka_broker"}]}},
        roll_marks={"problems": [interrupted]},
    )
    assert kinds(state) == [("OperationInterrupted", ""), ("ContainerStopped", "kafka2")]
    assert state["problems"][1]["because"]["kind"] == "OperationInterrupted"


def test_a_role_that_set_no_state_is_a_problem():
    readers = {"kafka1": ["kafka_broker", "spark"], "gone": ["monitoring"]}
    hosts = {"kafka1": {"spark_platform_status": {}}}
    state = platform_state(hosts, "prod", [], readers=readers)
    assert [each["text"] for each in state["problems"]] == [
        "the state of monitoring was not read on gone: its task failed",
        "the state of kafka_broker was not read on kafka1: its task failed",
    ]


def during(silenced, problems=()):
    """Return the state of a broker that is down, during an operation that stops ``silenced``."""
    me = operation_lock.lock_owner(os.getpid())
    lock = operation_lock.Lock("restart", me, 1.0).as_dict()
    operation = {"now": 50.0, "lock": lock, "active": 50, "silenced_until": silenced}
    down = Problem("ServiceDown", "kafka2", "broker 2 is not registered").as_dict()
    lagging = Problem("PartitionsUnderReplicated", "kafka", "9 partitions lag").as_dict()
    problems = problems or [lagging, down]
    return state_of({"node1": {**WELL, "operation": operation}}, kafka={"problems": problems})


def test_a_changed_topic_is_a_note_during_an_operation_alone():
    changed = Problem("ContentChanged", "kafka", "topic a: retention.ms is 1, declared 5").as_dict()
    (during_one,) = during({}, [changed])["problems"]
    assert during_one["severity"] == "note"
    (without,) = state_of(kafka={"problems": [changed]})["problems"]
    assert without["severity"] == "ticket"


@pytest.mark.parametrize("name", ["kafka2", "node2", "all services"])
def test_a_service_that_an_operation_stops_is_a_note(name):
    state = during({name: 100.0})
    assert {each["severity"] for each in state["problems"]} == {"note"}
    assert state["problems"][0]["text"] == "broker 2 is not registered (operation in progress)"


@pytest.mark.parametrize("silenced", [{}, {"kafka1": 100.0}, {"kafka2": 40.0}])
def test_another_service_is_a_problem_during_an_operation(silenced):
    state = during(silenced)
    assert "page" in {each["severity"] for each in state["problems"]}


def test_an_expired_certificate_is_a_page():
    expired = {"kind": "certificate", "name": "kafka1", "days_left": -3, "not_after": "2026-01-01"}
    (problem,) = state_of(security={"expiry": [expired]})["problems"]
    assert problem["severity"] == "page"
    assert problem["text"] == "certificate kafka1 has expired, 2026-01-01: make up renews it"
