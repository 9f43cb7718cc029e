"""What `make plan` prints: one plan of all playbooks of a run, at its end."""

import json
import os
import subprocess

import pytest
from plays import HERE, with_collection

PRINT = {"ansible.builtin.debug": {"msg": "printed"}}
QUIET = [PRINT]
CHANGES = [PRINT | {"changed_when": True}]
FAILS = [{"ansible.builtin.fail": {"msg": "as asked"}}]


@pytest.fixture
def planned(tmp_path):
    """Last lines of the plan of several playbooks, given as tasks, and its report."""

    def run(*playbooks):
        with_collection(tmp_path)
        (tmp_path / "hosts.json").write_text(json.dumps({"all": {"hosts": {"node1": HERE}}}))
        names = [f"{number}.yml" for number, _ in enumerate(playbooks)]
        for name, tasks in zip(names, playbooks, strict=True):
            play = {"hosts": "all", "gather_facts": False, "tasks": tasks}
            (tmp_path / name).write_text(json.dumps([play]))
        found = tmp_path / "plan.json"
        done = subprocess.run(
            ["ansible-playbook", "--inventory=hosts.json", "--check", "--diff", *names],
            cwd=tmp_path,
            env=os.environ
            | {
                "ANSIBLE_COLLECTIONS_PATH": str(tmp_path),
                "ANSIBLE_STDOUT_CALLBACK": "metal.kafka.plan",
                "KAFKA_METAL_PLAN_FILE": str(found),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith("plan:")]
        return lines, json.loads(found.read_text())

    return run


def test_several_playbooks_have_one_plan(planned):
    lines, report = planned(QUIET, CHANGES)
    assert lines == ["plan: 1 changes"]
    assert report["changes"] == 1


def test_a_playbook_that_fails_is_the_last_one(planned):
    lines, report = planned(FAILS, CHANGES)
    assert lines == ["plan: failed on node1; what follows it is not known"]
    assert report["failed"] == ["node1"]
