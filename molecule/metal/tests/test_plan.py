"""A plan lists the changes of a run and changes nothing."""

import json
import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from testing.cluster import Cluster

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 600

# A key that needs a restart; the other one is in the inventory.
STATIC = {
    "kafka_broker_properties": {"num.network.threads": 8, "group.initial.rebalance.delay.ms": 900}
}
TOPICS = {
    "kafka_content_topics": {
        "drill": {"partitions": 12, "replication": 3},
        "planned": {"partitions": 3, "replication": 3},
    }
}


@pytest.fixture
def plan(inventory: str):
    """Run `make plan` on the scenario's inventory; ``extra`` are changed declarations."""

    def run(extra: dict[str, Any] | None = None, strict: str = "") -> subprocess.CompletedProcess:
        return subprocess.run(
            ["scripts/verb", "plan"],
            cwd=ROOT,
            env={
                **os.environ,
                "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
                "INVENTORY": inventory,
                "ARGS": shlex.join(["-e", json.dumps(extra)] if extra else []),
                "STRICT": strict,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    return run


def traces(cluster: Cluster) -> dict[str, str]:
    """Return the start times of containers, and times and modes of files that a run may write."""
    instances = cluster.topology.instances
    found = {each.container: cluster.container(each).started() for each in instances}
    for instance in {each.machine: each for each in instances}.values():
        found[instance.machine] = cluster.machine(instance).check_output(
            "find /etc/kafka-metal /etc/docker /etc/sysctl.d /etc/fstab /opt/kafka-metal"
            " -printf '%%p %%T@ %%m %%U\\n' 2>/dev/null | grep -v __pycache__ | sort"
        )
    return found


@contextmanager
def untouched(cluster: Cluster) -> Iterator[None]:
    before = traces(cluster)
    yield
    assert traces(cluster) == before


def sections(text: str) -> dict[str, list[str]]:
    """Return the indented lines of a plan by their heading: a host or `cluster`."""
    found: dict[str, list[str]] = {}
    for paragraph in text.split("\n\n"):
        head, *rest = paragraph.strip("\n").split("\n")
        found[head] = [line.strip() for line in rest]
    return found


def last(done: subprocess.CompletedProcess) -> str:
    return done.stdout.rstrip().rpartition("\n")[2]


def test_a_plan_without_changes_has_nothing_to_do(cluster: Cluster, plan):
    with untouched(cluster):
        done = plan(strict="1")
    assert (last(done), done.returncode) == ("plan: nothing to do", 0), done.stdout + done.stderr


def test_a_static_setting_and_a_topic_are_listed_with_restarts_and_duration(cluster: Cluster, plan):
    with untouched(cluster):
        done = plan({**STATIC, **TOPICS}, strict="1")
    assert done.returncode == 2, done.stdout + done.stderr
    found = sections(done.stdout)
    for broker, instance in cluster.topology.brokers.items():
        messages = found[instance.machine]
        assert any("group.initial.rebalance.delay.ms 1000 -> 900" in each for each in messages)
        (restart,) = [each for each in messages if each.startswith("container ")]
        assert restart == f"container kafka{broker} restarts: server.properties"
        assert len(messages) == 2
    (topic,) = found["cluster"]
    assert topic.startswith("create planned: 3 partitions, 3 replicas")
    controller = cluster.brokers.controller()
    order = [*sorted(cluster.topology.brokers.keys() - {controller}), controller]
    assert f"\nrestart: {', '.join(f'kafka{broker}' for broker in order)}\n" in done.stdout
    assert "\nexpected: about " in done.stdout
    # Three brokers with a file and a restart each, and one topic.
    assert last(done) == "plan: 7 changes"
    assert not [each for each in cluster.brokers.partitions() if each.name == "planned-0"]


def test_without_strict_a_plan_with_changes_succeeds(cluster: Cluster, plan):
    done = plan(TOPICS)
    assert (last(done), done.returncode) == ("plan: 1 changes", 0), done.stdout + done.stderr


def test_a_container_stopped_by_hand_is_listed(cluster: Cluster, plan):
    instance = cluster.topology.brokers[2]
    machine = cluster.machine(instance)
    machine.check_output("docker stop %s", instance.container)
    try:
        done = plan(strict="1")
        assert not machine.check_output("docker ps -q --filter name=%s", instance.container)
    finally:
        machine.check_output("docker start %s", instance.container)
    assert (last(done), done.returncode) == ("plan: 1 changes", 2), done.stdout + done.stderr
    assert sections(done.stdout)[instance.machine] == ["container kafka2 starts: it is not running"]
    cluster.wait_until_whole()


def test_a_failed_plan_has_another_exit_code_than_drift(cluster: Cluster, plan):
    with untouched(cluster):
        done = plan({"kafka_broker_heap": "much"}, strict="1")
    assert done.returncode == 1, done.stdout + done.stderr
    assert last(done).startswith("plan: failed on ")
    assert "kafka_broker_heap" in done.stdout + done.stderr


def test_a_plan_refuses_to_run_outside_check_mode(cluster: Cluster, inventory: str):
    with untouched(cluster):
        done = subprocess.run(
            [
                "ansible-playbook",
                *(f"--inventory={path}" for path in inventory.split(",")),
                "playbooks/plan.yml",
            ],
            cwd=ROOT,
            env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    assert done.returncode != 0
    assert "nothing was touched" in done.stdout + done.stderr
