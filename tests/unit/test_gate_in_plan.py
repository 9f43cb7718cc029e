"""A plan prints what the gate of a rolling restart would refuse now."""

import pytest
from plays import BROKER, run, with_modules

STUB = "#!/usr/bin/python\nimport json\nprint(json.dumps({!r}))\n"
TOLERATED = {"changed": False, "stop": {"safe": True, "blockers": []}}
BLOCKER = "payments-0 would have 1 replicas in sync without broker 1, its min.insync.replicas is 2"
LOG_DIRS = {"changed": False, "problems": [], "blockers": ["/data/1 is read-only"]}


@pytest.fixture
def planned(tmp_path):
    """Function that runs the gate's report with results of modules; returns code and output."""

    def report(role, variables, **results):
        with_modules(tmp_path, {name: STUB.format(found) for name, found in results.items()})
        entry = {"name": f"metal.kafka.{role}", "tasks_from": "gate_now"}
        play = {
            "hosts": "all",
            "gather_facts": False,
            "tasks": [{"ansible.builtin.include_role": entry}],
        }
        given = {**BROKER, "cluster_name": "unit", **variables}
        groups = {group: {"node1": given} for group in ("kafka", "zookeeper", "metal")}
        return run(tmp_path, [play], groups, "--check")

    return report


def brokers(check_log_dirs=False):
    return {
        "kafka_broker_log_dirs": ["/data/1"],
        "kafka_broker_check_log_dirs": check_log_dirs,
        "kafka_broker_bootstrap": ["127.0.0.1:1"],
    }


def test_blocking_partitions_are_reported(planned):
    found = {"changed": False, "stop": {"safe": False, "blockers": [BLOCKER]}}
    code, output = planned("kafka_broker", brokers(), cluster_info=found)
    assert code == 0, output
    assert f"kafka1 would be stopped later: {BLOCKER}" in output


def test_unusable_log_dirs_are_reported(planned):
    code, output = planned(
        "kafka_broker", brokers(True), cluster_info=TOLERATED, log_dir_state=LOG_DIRS
    )
    assert code == 0, output
    assert "kafka1 would not be stopped now: /data/1 is read-only" in output


@pytest.mark.parametrize("found", [TOLERATED, {"failed": True, "msg": "no library"}])
def test_a_stop_that_is_tolerated_or_unknown_is_not_reported(planned, found):
    code, output = planned("kafka_broker", brokers(), cluster_info=found)
    assert code == 0, output
    assert "would be stopped later" not in output


def test_a_missing_quorum_is_reported(planned):
    found = {"changed": False, "stop": {"safe": False, "blockers": ["server 2 does not respond"]}}
    servers = {"zookeeper_server_id": 1, "zookeeper_address": "127.0.0.1"}
    ports = {"client": 2181, "peer": 2888, "election": 3888}
    servers |= {f"zookeeper_{name}_port": port for name, port in ports.items()}
    code, output = planned("zookeeper", servers, zookeeper_info=found)
    assert code == 0, output
    assert "ZooKeeper server 1 would be stopped later: server 2 does not respond" in output
