"""Verbs that only read continue with responding hosts."""

import json
import re
from collections import Counter

import pytest
from plays import (
    ENTRY_DEFAULTS,
    MACHINE_STATE,
    MACHINE_STATE_FILES,
    ansible_playbook,
    entries,
    with_printing_roles,
)

AWAY = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1}


@pytest.fixture
def ran(tmp_path):
    """Function that runs a playbook with ``away`` machines; every machine has a broker."""
    folder = with_printing_roles(
        tmp_path, *MACHINE_STATE_FILES, modules={"machine_state": MACHINE_STATE}
    )
    (tmp_path / "etc/unit-kafka1").mkdir(parents=True)

    def run(name, *away, count=3):
        machines = {
            f"m{number}": ENTRY_DEFAULTS | (AWAY if f"m{number}" in away else {})
            for number in range(1, count + 1)
        }
        brokers = {
            f"k{machine[1]}": found | {"metal_machine": machine, "kafka_broker_id": machine[1]}
            for machine, found in machines.items()
        }
        site = {"metal": machines, "kafka": brokers}
        variables = {
            **{"cluster_name": "unit", "kafka_metal_state": str(tmp_path / "state")},
            "service_config_root": str(tmp_path / "etc"),
            # Only tasks on the host itself use its connection.
            **{"away": [f"k{machine[1]}" for machine in away], "away_at": "kafka"},
        }
        return ansible_playbook(
            tmp_path, site, f"{folder}/{name}.yml", f"-e{json.dumps(variables)}"
        )

    return run


@pytest.mark.parametrize(
    ("playbook", "entry", "away", "used"),
    [
        ("groups", "kafka_content/groups/", (), "k1"),
        ("groups", "kafka_content/groups/", ("m1",), "k2"),
        ("groups", "kafka_content/groups/", ("m3",), "k1"),
        ("export", "kafka_content/export/", ("m1", "m2"), "k3"),
        ("status", "kafka_broker/status/", ("m1", "m2"), "k3"),
    ],
)
def test_a_responding_broker_is_used(ran, playbook, entry, away, used):
    _, output = ran(playbook, *away)

    found = [line for line in entries(output) if line.startswith(entry)]
    assert found == [f"{entry}@{used}"], output


def results(output):
    """Return the number of results of tasks by host and task."""
    found = Counter()
    task = ""
    for line in output.splitlines():
        if line.startswith(("TASK [", "PLAY [")):
            task = line
        elif match := re.match(r"(?:ok|changed|skipping|fatal): \[(\w+)\]", line):
            found[match[1], task] += 1
    return found


def test_status_asks_each_machine_once_and_the_cluster_once(ran):
    _, output = ran("status", count=6)

    found = results(output)
    assert max(found.values()) == 1
    question = "Read the state of the machine, its containers and the operation in progress"
    assert sorted(host for host, task in found if question in task) == [
        f"m{number}" for number in range(1, 7)
    ]
    assert [each for each in entries(output) if "kafka_broker" in each] == [
        "kafka_broker/status/@k1"
    ]


def test_a_run_without_responding_hosts_fails(ran):
    code, output = ran("groups", "m1", "m2", "m3")

    assert code != 0
    assert "UNREACHABLE! => " in output
