"""A refused operation changes neither lock nor silence of the running one."""

import os
import sys
import time
from dataclasses import replace

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host import (
    maintenance_files,
    operation_lock,
)
from plays import run, with_locks

# Python of a machine: the module that finds the file `fail` fails.
FAILING = """#!/bin/sh
if rm {folder}/fail 2> {folder}/errors; then exit 9; fi
exec {python} "$@"
"""
LOCK = {"include_role": {"name": "metal.kafka.roll", "tasks_from": "lock"}}


def test_refused_operation_keeps_the_other_s_silence(tmp_path):
    with_locks(tmp_path)
    other = replace(operation_lock.lock_owner(os.getpid()), node="control2")
    held, text = f"{tmp_path}/locks/prod.json", f"{tmp_path}/text"
    assert operation_lock.create(held, operation_lock.Lock("restart of all", other, time.time()))
    maintenance_files.begin(text, "prod", "restart of all", "eve on control2", time.time())
    maintenance_files.silence(text, "prod", "kafka1", ["kafka1"], [], time.time() + 300)
    before = maintenance_files.read(text, "prod")

    given = {
        **{"cluster_name": "prod", "roll_operation": "reboot", "roll_textfile_dir": text},
        "roll_machines": ["localhost"],
    }
    code, output = run(tmp_path, [{"hosts": "all", "tasks": [LOCK]}], {"all": {"localhost": given}})

    assert code != 0
    assert "Another operation runs on cluster prod: restart of all" in output
    assert maintenance_files.read(text, "prod") == before
    assert operation_lock.read(held).owner == other


def test_ended_operation_removes_its_markers(tmp_path):
    with_locks(tmp_path)
    given = {
        **{"cluster_name": "prod", "roll_operation": "reboot", "roll_machines": ["localhost"]},
        "roll_textfile_dir": f"{tmp_path}/text",
    }
    steps = [
        {"include_role": {"name": "metal.kafka.roll", "tasks_from": name}}
        for name in ("lock", "unlock")
    ]
    code, output = run(tmp_path, [{"hosts": "all", "tasks": steps}], {"all": {"localhost": given}})

    assert code == 0, output
    assert list((tmp_path / "locks").iterdir()) == []
    assert list((tmp_path / "text").iterdir()) == []


@pytest.mark.parametrize("nested", [False, True])
def test_an_operation_that_fails_on_one_machine_keeps_no_lock_on_others(tmp_path, nested):
    with_locks(tmp_path)
    failing, fail = tmp_path / "python", tmp_path / "fail"
    failing.write_text(FAILING.format(folder=tmp_path, python=sys.executable))
    failing.chmod(0o755)
    given = {
        **{"cluster_name": "prod", "roll_operation": "reboot", "roll_machines": ["m1", "m2", "m3"]},
        "roll_textfile_dir": f"{tmp_path}/text",
    }
    hosts = {"m1": given, "m2": {**given, "ansible_python_interpreter": str(failing)}, "m3": given}
    begin = {"command": f"touch {fail}", "delegate_to": "m1", "run_once": True}
    steps = [LOCK, begin, LOCK] if nested else [begin, LOCK]
    code, output = run(tmp_path, [{"hosts": "all", "tasks": steps}], {"all": hosts})

    assert code != 0
    assert "Cluster prod cannot be locked on m2: " in output
    assert "break_when" not in output
    # An interrupted operation keeps the lock that it had.
    for folder in ("locks", "text"):
        assert len(list((tmp_path / folder).iterdir())) == int(nested)
