"""`make plan` prints one plan for all playbooks of a run, at its end."""

import json

import pytest
from plays import ansible_playbook, with_collection

PRINT = {"ansible.builtin.debug": {"msg": "printed"}}
QUIET = [PRINT]
CHANGES = [PRINT | {"changed_when": True}]
FAILS = [{"ansible.builtin.fail": {"msg": "failure of the test"}}]


@pytest.fixture
def planned(tmp_path):
    """Function that returns the plan's lines and report for playbooks, given as lists of tasks."""

    def run(*playbooks):
        with_collection(tmp_path)
        names = [f"{number}.yml" for number, _ in enumerate(playbooks)]
        for name, tasks in zip(names, playbooks, strict=True):
            play = {"hosts": "all", "gather_facts": False, "tasks": tasks}
            (tmp_path / name).write_text(json.dumps([play]))
        found = tmp_path / "plan.json"
        _, output = ansible_playbook(
            tmp_path,
            {"all": {"node1": {}}},
            *("--check", "--diff", *names),
            ANSIBLE_STDOUT_CALLBACK="metal.kafka.plan",
            KAFKA_METAL_PLAN_FILE=str(found),
        )
        lines = [line for line in output.splitlines() if line.startswith("plan:")]
        return lines, json.loads(found.read_text())

    return run


def test_several_playbooks_have_one_plan(planned):
    lines, report = planned(QUIET, CHANGES)
    assert lines == ["plan: 1 changes"]
    assert report["changes"] == 1


def test_a_failed_playbook_ends_the_plan(planned):
    lines, report = planned(FAILS, CHANGES)
    assert lines == ["plan: failed on node1; later changes are unknown"]
    assert report["failed"] == ["node1"]
