import os
import signal
import subprocess
import sys
import time

import pytest
from kafka_metal_bench.usage import (
    Meter,
    descendants,
    parse_process,
    parse_stat,
    read_parents,
)

TICKS = os.sysconf("SC_CLK_TCK")


def test_stolen_time_is_separate():
    found = parse_stat(
        f"cpu  {3 * TICKS} 0 {TICKS} {9 * TICKS} {TICKS} 0 0 {2 * TICKS} 0 0\ncpu0 1"
    )
    assert (found.busy, found.idle, found.steal) == (4, 10, 2)


def test_names_of_processes_may_contain_brackets():
    fields = " ".join(["S", *["0"] * 10, str(5 * TICKS), str(2 * TICKS), "0"])
    assert parse_process(f"42 (a) (b c) {fields}") == 7


def test_cpu_time_of_a_process_is_measured():
    meter = Meter([os.getpid()])
    while meter.read()["broker_cpu_s"] < 0.1:
        sum(range(100_000))
    assert 0 < meter.read()["cpu_busy"] <= 1


def test_an_exited_process_is_no_error():
    assert Meter([2**22 + 1]).read()["broker_cpu_s"] == pytest.approx(0)


def test_cpu_time_of_children_is_included():
    """The first process of a broker is its guard; the broker is a child."""
    script = "x = 0\nwhile True: x += 1"
    with subprocess.Popen(["sh", "-c", f"{sys.executable} -c '{script}'; true"]) as guard:
        try:
            deadline = time.monotonic() + 10
            while len(descendants([guard.pid], read_parents())) < 2:
                assert time.monotonic() < deadline, "the child has not started"
            meter = Meter([guard.pid])
            while meter.read()["broker_cpu_s"] <= 0.05:
                assert time.monotonic() < deadline, "the CPU time of the child is not included"
        finally:
            for pid in descendants([guard.pid], read_parents()):
                os.kill(pid, signal.SIGKILL)


def test_descendants_are_all_generations():
    assert descendants([2], {2: 1, 3: 2, 4: 3, 5: 1}) == {2, 3, 4}
