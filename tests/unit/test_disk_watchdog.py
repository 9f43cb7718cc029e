"""The watchdog of disks and the guard of the broker, with a `dd` that hangs or fails when told.

Whether the kernel behaves as this `dd` is for the drills on real file systems.
"""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

BIN = Path(__file__).resolve().parents[2] / "images/kafka/bin"
# Hangs while <dir>/hang is there, fails while <dir>/fail is there.
DD = """#!/bin/bash
for word; do case $word in of=*) dir=$(dirname "${word#of=}") ;; esac; done
while [ -e "$dir/hang" ]; do sleep 0.1; done
if [ -e "$dir/fail" ]; then echo "dd: failed to open '$dir': Input/output error" >&2; exit 1; fi
"""
# A broker: says when it is up, and how it was asked to go.
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


def until(fact, seconds=10):
    end = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < end, "did not come to pass"
        time.sleep(0.05)


def up(disks):
    return lambda: (disks / "out").read_text().startswith("up")


def test_a_stop_is_passed_on_and_the_exit_code_is_the_broker_s(disks, guard):
    process = guard(BROKER)
    until(up(disks))
    process.send_signal(signal.SIGTERM)
    assert process.wait(5) == 143
    assert (disks / "out").read_text() == "up\nTERM\n"
    assert (disks / "err").read_text() == ""


@pytest.mark.parametrize("timeout", [0, 2])
@pytest.mark.parametrize("code", [0, 1, 3])
def test_a_broker_that_ends_by_itself_gives_its_exit_code(guard, code, timeout):
    assert guard(f"sleep 0.2; exit {code}", timeout).wait(5) == code


def test_a_killed_broker_gives_the_code_of_a_kill(guard):
    assert guard("kill -KILL $$").wait(5) == 137


def test_a_disk_that_hangs_ends_the_broker_and_is_named(disks, guard):
    process = guard(BROKER)
    until(up(disks))
    (disks / "disk2" / "hang").touch()
    assert process.wait(10) == 143
    said = (disks / "err").read_text()
    assert f"FATAL disk-watchdog: {disks}/disk2 hangs, no response for 2 s" in said
    assert "disk1" not in said


def test_a_broker_that_does_not_go_is_killed(disks, guard):
    process = guard(STUBBORN)
    until(up(disks))
    (disks / "disk1" / "hang").touch()
    assert process.wait(20) == 137
    assert "is killed" in (disks / "err").read_text()


def test_a_short_silence_is_told_and_does_no_harm(disks, guard):
    process = guard(BROKER, timeout=9)
    until(up(disks))
    (disks / "disk1" / "hang").touch()
    until(lambda: f"{disks}/disk1 has not responded for 3 s" in (disks / "err").read_text(), 15)
    (disks / "disk1" / "hang").unlink()
    until(lambda: f"{disks}/disk1 responded after" in (disks / "err").read_text())
    assert process.poll() is None


def test_an_error_is_an_answer_and_is_told_once(disks, guard):
    process = guard(BROKER)
    until(up(disks))
    (disks / "disk1" / "fail").touch()
    time.sleep(4)
    assert process.poll() is None
    assert (disks / "err").read_text().count("disk1") == 1
    assert "Input/output error" in (disks / "err").read_text()


def test_a_failed_disk_does_not_keep_the_broker_from_starting(disks, guard):
    (disks / "disk1" / "fail").touch()
    guard(BROKER)
    until(up(disks))


def test_a_broker_does_not_start_on_a_disk_that_hangs_until_it_answers(disks, guard):
    (disks / "disk1" / "hang").touch()
    process = guard(BROKER)
    until(lambda: "the broker starts only after it responds" in (disks / "err").read_text())
    assert (disks / "out").read_text() == ""
    (disks / "disk1" / "hang").unlink()
    until(up(disks))
    assert process.poll() is None


def test_a_stop_while_a_disk_hangs_before_the_start_is_obeyed(disks, guard):
    (disks / "disk1" / "hang").touch()
    process = guard(BROKER)
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    assert process.wait(5) == 143
    assert (disks / "out").read_text() == ""


def test_without_a_timeout_nobody_watches(disks, guard):
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
        # Written once a second: a reader may come when it is just being replaced.
        while len(words := file.read_text().split()) != 3:
            time.sleep(0.05)
        return words

    until(lambda: state("disk2")[0] == "writing" and int(state("disk2")[1]) >= 2, 15)
    assert state("disk1")[1] == "0"
    assert state("disk1")[2] == f"{disks}/disk1"
