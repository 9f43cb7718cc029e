import json
import os
import subprocess
import sys
from dataclasses import asdict, replace

import plays
import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host import (
    maintenance_files,
    operation_lock,
)

ME = operation_lock.lock_owner(os.getpid())
OTHER = replace(ME, node="control2", pid=7, user="eve")
SPEC = {"operation": "restart of all", "replace": "", "unlock": ""}


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "locks" / "test.json")


def acquire(path, me, **spec):
    return operation_lock.acquire(path, "test", {**SPEC, **spec}, me)


def test_second_operation_gets_the_owner_of_the_lock(path):
    assert acquire(path, ME)["acquired"]
    refused = acquire(path, OTHER)
    assert not refused["acquired"]
    assert refused["lock"]["owner"]["pid"] == ME.pid
    text = operation_lock.refusal("test", "node1", refused["lock"])
    for part in ("restart of all", ME.user, ME.node, str(ME.pid), f"-e unlock={ME.token}"):
        assert part in text


def test_nested_playbook_has_the_lock(path):
    since = acquire(path, ME)["since"]
    again = acquire(path, ME, operation="roll")
    assert (again["acquired"], again["nested"], again["since"]) == (True, True, since)


def test_only_the_own_lock_is_removed(path):
    acquire(path, ME)
    assert not operation_lock.remove(path, OTHER.token)
    assert operation_lock.remove(path, ME.token)
    assert not operation_lock.remove(path, ME.token)
    assert acquire(path, OTHER)["acquired"]


def test_same_operation_resumes_with_the_old_start_time(path):
    since = acquire(path, OTHER)["since"]
    resumed = acquire(path, ME, replace=OTHER.token)
    assert (resumed["acquired"], resumed["resumed"], resumed["since"]) == (True, True, since)
    # The lock file has this too, for nested playbooks.
    assert acquire(path, ME)["resumed"]


@pytest.mark.parametrize(
    "spec",
    [
        {"operation": "reboot", "replace": OTHER.token},
        {"unlock": OTHER.token},
        {"unlock": "test"},
    ],
)
def test_other_operation_or_broken_lock_starts_new(path, spec):
    acquire(path, OTHER)
    taken = acquire(path, ME, **spec)
    assert (taken["acquired"], taken["resumed"]) == (True, False)


@pytest.mark.parametrize("spec", [{"unlock": "other"}, {"replace": "unknown"}])
def test_wrong_name_does_not_break_the_lock(path, spec):
    acquire(path, OTHER)
    assert not acquire(path, ME, **spec)["acquired"]


@pytest.mark.parametrize("content", ["", "{}", "[1]", json.dumps({"operation": 1, "owner": 2})])
def test_unreadable_lock_has_an_unknown_owner(path, content):
    os.makedirs(os.path.dirname(path))
    with open(path, "w") as stream:
        stream.write(content)
    assert not acquire(path, ME)["acquired"]
    assert acquire(path, ME, unlock="test")["acquired"]


def test_ended_process_is_dead():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    owner = operation_lock.lock_owner(child.pid)
    assert not operation_lock.has_ended(owner, ME)
    assert operation_lock.has_ended(replace(owner, started="1"), ME)  # Its PID was reused.
    child.kill()
    # Before its parent has reaped it, and after.
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert operation_lock.has_ended(owner, ME)
    child.wait()
    assert operation_lock.has_ended(owner, ME)


def lock_module(path, text, **arguments):
    """Run the module as the owner ME; return its result."""
    given = {"cluster": "test", "directory": os.path.dirname(path), "textfile_directory": text}
    return plays.execute_module("cluster_lock", {**given, "owner": asdict(ME), **arguments})


@pytest.mark.parametrize(
    ("holder", "announced", "marker"),
    [
        (None, True, True),
        (None, False, False),
        ("other", True, False),
        # A playbook within the operation changes nothing.
        ("me", True, False),
    ],
)
def test_the_marker_of_an_operation_begins_with_its_lock(tmp_path, path, holder, announced, marker):
    if holder:
        acquire(path, {"me": ME, "other": OTHER}[holder])
    found = lock_module(path, str(tmp_path / "text"), operation="reboot", announced=announced)

    assert found["acquired"] is (holder != "other")
    written = tmp_path / "text/test@operation.prom"
    assert written.exists() is marker
    assert not marker or f'operation="reboot",by="{ME.user} on {ME.node}"' in written.read_text()


def test_an_operation_that_cannot_be_announced_has_no_lock(tmp_path, path):
    (tmp_path / "text").write_text("")
    found = lock_module(path, str(tmp_path / "text"))

    assert found["failed"]
    assert "the operation cannot be announced to monitoring: " in found["msg"]
    assert not os.path.exists(path)


@pytest.mark.parametrize(
    ("state", "holder", "ends"),
    [
        ("absent", "me", True),
        # A refused operation must not end the silence of the one in progress.
        ("absent", "other", False),
        ("absent", None, False),
        ("released", "other", False),
        ("deleted", "other", True),
        ("deleted", None, True),
    ],
)
def test_maintenance_markers_end_with_the_lock(tmp_path, path, state, holder, ends):
    text = str(tmp_path / "text")
    maintenance_files.begin(text, "test", "restart of all", "ops on c1", 1.0)
    maintenance_files.begin(text, "test2", "restart of all", "ops on c1", 1.0)
    if holder:
        acquire(path, {"me": ME, "other": OTHER}[holder])
    found = lock_module(path, text, state=state)
    assert found["released"] is (ends and holder is not None)
    left = {name for name in os.listdir(text) if name.startswith("test@")}
    assert left == (set() if ends else {"test@operation.prom"})
    assert "test2@operation.prom" in os.listdir(text)


@pytest.mark.parametrize(
    ("owner", "dead"),
    [
        (replace(ME, boot="earlier"), True),
        (replace(ME, node="control2", boot="earlier"), False),
        (replace(ME, namespace="pid:[1]"), False),
    ],
)
def test_processes_of_other_nodes_are_not_known_dead(owner, dead):
    assert operation_lock.has_ended(owner, ME) is dead


def test_lock_is_released_only_by_the_token_of_its_owner(path):
    acquire(path, OTHER)
    assert operation_lock.release(path, "", ME)["lock"]["token"] == OTHER.token
    assert not operation_lock.release(path, ME.token, ME)["released"]
    assert operation_lock.release(path, OTHER.token, ME)["released"]
    assert operation_lock.read(path) is None
    assert not operation_lock.release(path, "", ME)["released"]
