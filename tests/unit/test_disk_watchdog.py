"""The disk watchdog and the guard of the broker, with a stub of `dd` that can hang or fail.

Drills test the same on real file systems.
"""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

BIN = Path(__file__).resolve().parents[2] / "images/kafka/bin"
# Hangs while <dir>/hang exists, fails while <dir>/fail exists.
DD = """#!/bin/bash
for option; do case $option in of=*) dir=$(dirname "${option#of=}") ;; esac; done
while [ -e "$dir/hang" ]; do sleep 0.1; done
if [ -e "$dir/fail" ]; then echo "dd: failed to open '$dir': Input/output error" >&2; exit 1; fi
"""
# Stubs of a broker: print when they are up and when they get SIGTERM.
BROKER = "trap 'echo TERM; exit 143' TERM; echo up; while :; do sleep 0.1; done"
STUBBORN = "trap 'echo TERM' TERM; echo up; while :; do sleep 0.1; done"


@pytest.fixture
def disks(tmp_path):
    for name in ("disk1", "disk2"):
        (tmp_path / name).mkdir()
    dd = tmp_path / "bin" / "dd"
    dd.parent.mkdir()
    dd.write_text(DD)
    dd.chmod(0o755)
    (tmp_path / "server.properties").write_text(
        f"broker.id=1\nlog.dirs={tmp_path}/disk1,{tmp_path}/disk2\nlog.retention.hours=1\n"
    )
    return tmp_path


@pytest.fixture
def guard(disks):
    started = []

    def start(script, timeout=2):
        process = subprocess.Popen(
            [BIN / "kafka-guard", disks / "server.properties", "bash", "-c", script],
            env={
                "PATH": f"{disks}/bin:{BIN}:{os.environ['PATH']}",
                "KAFKA_DISK_TIMEOUT": str(timeout),
                "KAFKA_DISK_STATE": f"{disks}/state",
            },
            stdout=(disks / "out").open("w"),
            stderr=(disks / "err").open("w"),
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for name in ("disk1", "disk2"):
        (disks / name / "hang").unlink(missing_ok=True)
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition did not become true"
        time.sleep(0.05)


def up(disks):
    return lambda: (disks / "out").read_text().startswith("up")


def test_sigterm_is_forwarded_and_the_exit_code_is_the_broker_s(disks, guard):
    process = guard(BROKER)
    until(up(disks))
    process.send_signal(signal.SIGTERM)
    assert process.wait(5) == 143
    assert (disks / "out").read_text() == "up\nTERM\n"
    assert (disks / "err").read_text() == ""


@pytest.mark.parametrize("timeout", [0, 2])
@pytest.mark.parametrize("code", [0, 1, 3])
def test_the_exit_code_of_a_broker_that_ends_by_itself_is_kept(guard, code, timeout):
    assert guard(f"sleep 0.2; exit {code}", timeout).wait(5) == code


def test_the_exit_code_of_a_killed_broker_is_137(guard):
    assert guard("kill -KILL $$").wait(5) == 137


def test_a_disk_that_hangs_ends_the_broker_and_is_named(disks, guard):
    process = guard(BROKER)
    until(up(disks))
    (disks / "disk2" / "hang").touch()
    assert process.wait(10) == 143
    errors = (disks / "err").read_text()
    assert f"FATAL disk-watchdog: {disks}/disk2 hangs, no response for 2 s" in errors
    assert "disk1" not in errors


def test_a_broker_that_does_not_stop_is_killed(disks, guard):
    process = guard(STUBBORN)
    until(up(disks))
    (disks / "disk1" / "hang").touch()
    assert process.wait(20) == 137
    assert "is killed" in (disks / "err").read_text()


def test_a_short_hang_is_logged_without_a_stop(disks, guard):
    process = guard(BROKER, timeout=9)
    until(up(disks))
    (disks / "disk1" / "hang").touch()
    until(lambda: f"{disks}/disk1 has not responded for 3 s" in (disks / "err").read_text(), 15)
    (disks / "disk1" / "hang").unlink()
    until(lambda: f"{disks}/disk1 responded after" in (disks / "err").read_text())
    assert process.poll() is None


def test_an_error_is_a_response_and_is_logged_once(disks, guard):
    process = guard(BROKER)
    until(up(disks))
    (disks / "disk1" / "fail").touch()
    time.sleep(4)
    assert process.poll() is None
    assert (disks / "err").read_text().count("disk1") == 1
    assert "Input/output error" in (disks / "err").read_text()


def test_a_broker_starts_with_a_failed_disk(disks, guard):
    (disks / "disk1" / "fail").touch()
    guard(BROKER)
    until(up(disks))


def test_a_broker_starts_only_after_a_hung_disk_responds(disks, guard):
    (disks / "disk1" / "hang").touch()
    process = guard(BROKER)
    until(lambda: "the broker starts only after it responds" in (disks / "err").read_text())
    assert (disks / "out").read_text() == ""
    (disks / "disk1" / "hang").unlink()
    until(up(disks))
    assert process.poll() is None


def test_a_broker_starts_although_the_state_of_its_disks_cannot_be_stored(disks, guard):
    for name in ("disk1", "disk2"):
        file = f"probe{str(disks / name).replace('/', '_')}"
        # In place of a file, which can be neither written nor read.
        (disks / "state" / file).mkdir(parents=True)
    guard(BROKER)
    until(up(disks))


def test_a_broker_can_be_stopped_while_it_waits_for_a_hung_disk(disks, guard):
    (disks / "disk1" / "hang").touch()
    process = guard(BROKER)
    # It handles signals before it writes to disks.
    until(lambda: list((disks / "state").glob("state*_disk1")))
    process.send_signal(signal.SIGTERM)
    assert process.wait(5) == 143
    assert (disks / "out").read_text() == ""


def test_without_a_timeout_disks_are_not_watched(disks, guard):
    (disks / "disk1" / "hang").touch()
    process = guard(BROKER, timeout=0)
    until(up(disks))
    time.sleep(3)
    assert process.poll() is None


def test_the_state_of_each_disk_can_be_read(disks, guard):
    guard(BROKER, timeout=6)
    until(up(disks))
    (disks / "disk2" / "hang").touch()
    name = str(disks).replace("/", "_")

    def state(disk):
        file = disks / "state" / f"state{name}_{disk}"
        # The file is rewritten once a second, so it may be incomplete.
        while len(fields := file.read_text().split()) != 3:
            time.sleep(0.05)
        return fields

    until(lambda: state("disk2")[0] == "writing" and int(state("disk2")[1]) >= 2, 15)
    # On a busy machine a write may take a second.
    until(lambda: state("disk1")[1] == "0")
    assert state("disk1")[2] == f"{disks}/disk1"
