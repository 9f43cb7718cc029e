import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host import operation_lock

ME = operation_lock.owner_of(os.getpid())
OTHER = replace(ME, node="control2", pid=7, user="eve")
SPEC = {"operation": "restart of all", "replace": "", "unlock": ""}


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "locks" / "test.json")


def acquire(path, me, **spec):
    return operation_lock.acquire(path, "test", {**SPEC, **spec}, me)


def test_the_first_takes_it_and_the_second_learns_who_that_is(path):
    assert acquire(path, ME)["taken"]
    refused = acquire(path, OTHER)
    assert not refused["taken"]
    assert refused["lock"]["owner"]["pid"] == ME.pid
    text = operation_lock.refusal("test", "node1", refused["lock"])
    for part in ("restart of all", ME.user, ME.node, str(ME.pid), f"-e unlock={ME.token}"):
        assert part in text


def test_a_playbook_within_a_playbook_finds_its_own_lock(path):
    since = acquire(path, ME)["since"]
    again = acquire(path, ME, operation="roll")
    assert (again["taken"], again["nested"], again["since"]) == (True, True, since)


def test_only_ones_own_lock_is_dropped(path):
    acquire(path, ME)
    assert not operation_lock.remove(path, OTHER.token)
    assert operation_lock.remove(path, ME.token)
    assert not operation_lock.remove(path, ME.token)
    assert acquire(path, OTHER)["taken"]


def test_the_same_operation_resumes_a_dead_one_from_its_begin(path):
    since = acquire(path, OTHER)["since"]
    resumed = acquire(path, ME, replace=OTHER.token)
    assert (resumed["taken"], resumed["resumed"], resumed["since"]) == (True, True, since)
    # What it holds says so too, to the plays that find it taken.
    assert acquire(path, ME)["resumed"]


@pytest.mark.parametrize(
    "spec",
    [
        {"operation": "reboot", "replace": OTHER.token},
        {"unlock": OTHER.token},
        {"unlock": "test"},
    ],
)
def test_another_operation_or_a_broken_lock_begins_anew(path, spec):
    acquire(path, OTHER)
    taken = acquire(path, ME, **spec)
    assert (taken["taken"], taken["resumed"]) == (True, False)


@pytest.mark.parametrize("spec", [{"unlock": "other"}, {"replace": "somebody"}])
def test_the_wrong_name_breaks_nothing(path, spec):
    acquire(path, OTHER)
    assert not acquire(path, ME, **spec)["taken"]


@pytest.mark.parametrize("content", ["", "{}", "[1]", json.dumps({"operation": 1, "owner": 2})])
def test_a_lock_that_cannot_be_read_is_somebodys(path, content):
    os.makedirs(os.path.dirname(path))
    with open(path, "w") as stream:
        stream.write(content)
    assert not acquire(path, ME)["taken"]
    assert acquire(path, ME, unlock="test")["taken"]


def test_a_living_process_is_not_dead_and_an_ended_one_is():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    owner = operation_lock.owner_of(child.pid)
    assert not operation_lock.dead(owner, ME)
    assert operation_lock.dead(replace(owner, started="1"), ME)  # Its number, used again.
    child.kill()
    # Before anybody has waited for it, and after.
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert operation_lock.dead(owner, ME)
    child.wait()
    assert operation_lock.dead(owner, ME)


@pytest.mark.parametrize(
    ("owner", "gone"),
    [
        (replace(ME, boot="earlier"), True),
        (replace(ME, node="control2", boot="earlier"), False),
        (replace(ME, namespace="pid:[1]"), False),
    ],
)
def test_the_dead_of_other_nodes_are_unknown(owner, gone):
    assert operation_lock.dead(owner, ME) is gone


def test_a_lock_is_released_by_the_token_of_its_dead_owner_alone(path):
    acquire(path, OTHER)
    assert operation_lock.release(path, "", ME)["lock"]["token"] == OTHER.token
    assert not operation_lock.release(path, ME.token, ME)["released"]
    assert operation_lock.release(path, OTHER.token, ME)["released"]
    assert operation_lock.read(path) is None
    assert not operation_lock.release(path, "", ME)["released"]
