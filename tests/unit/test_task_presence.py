"""A waiting task renews the silence of its run's alerts, and ends when the run is killed."""

import os
import signal
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from ansible.errors import AnsibleError
from ansible_collections.metal.kafka.plugins.plugin_utils._operations import task_presence

ROOT = Path(__file__).parents[2]
PLACE = {"directory": "/textfile", "cluster": "a", "seconds": 300}


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(task_presence.time, "monotonic", lambda: now.seconds)
    return now


def waiting(variables):
    """A waiting task, and the list of its calls of modules."""
    calls = []
    action = SimpleNamespace(_execute_module=lambda **call: calls.append(call))
    return task_presence.Presence(action, variables), calls


def test_a_waiting_task_renews_the_silence_every_minute(clock):
    task, calls = waiting({"roll_presence": PLACE, "inventory_hostname": "kafka1"})
    for clock.seconds in range(0, 181, 2):
        task.keep()
    assert [call["module_name"] for call in calls] == ["metal.kafka.maintenance"] * 3
    assert calls[0]["module_args"] == {**PLACE, "state": "renewed", "host": "kafka1"}


@pytest.mark.parametrize("variables", [None, {}, {"roll_presence": {}}])
def test_nothing_is_renewed_without_an_operation(clock, variables):
    task, calls = waiting(variables)
    clock.seconds = 600.0
    task.keep()
    assert calls == []


def test_a_task_of_a_killed_run_ends_without_renewal(clock, monkeypatch):
    task, calls = waiting({"roll_presence": PLACE})
    monkeypatch.setattr(task_presence.os, "getppid", lambda: 1)
    clock.seconds = 600.0
    with pytest.raises(AnsibleError, match="was killed"):
        task.keep()
    assert calls == []


def children(pid):
    """Ids of a process's children."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(each) for each in found.stdout.split()]


def wait_until(reached, seconds):
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end, "not reached in time"
        time.sleep(0.05)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs Linux")
def test_worker_processes_end_with_a_killed_run(tmp_path):
    play = tmp_path / "wait.yml"
    play.write_text(
        "- {hosts: localhost, gather_facts: false,\n"
        "   tasks: [{ansible.builtin.pause: {seconds: 60}}]}\n"
    )
    run = subprocess.Popen(
        ["ansible-playbook", str(play)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_until(lambda: children(run.pid), 30)
        workers = children(run.pid)
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
    wait_until(lambda: not any(os.path.exists(f"/proc/{worker}") for worker in workers), 5)
