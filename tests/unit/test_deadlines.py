import threading
import time

from ansible_collections.metal.kafka.plugins.module_utils._common.deadlines import (
    Deadline,
    run_in_parallel,
)


def fail():
    raise ValueError("no")


def test_results_and_errors_are_returned_by_key():
    results = run_in_parallel({"a": lambda: 1, "b": fail}, Deadline(5))
    assert results["a"] == 1
    assert isinstance(results["b"], ValueError)


def test_hung_call_is_abandoned_at_the_deadline():
    never = threading.Event()
    begun = time.monotonic()
    results = run_in_parallel({"slow": never.wait, "quick": lambda: 1}, Deadline(0.2))
    never.set()
    assert time.monotonic() - begun < 2
    assert results["quick"] == 1
    assert isinstance(results["slow"], TimeoutError)
    assert str(results["slow"]) == "no response within 0.2 s"


def test_hung_call_does_not_keep_the_process_alive():
    results = run_in_parallel({"daemon": lambda: threading.current_thread().daemon}, Deadline(5))
    assert results["daemon"] is True


def test_calls_run_in_parallel():
    together = threading.Barrier(3, timeout=5)
    results = run_in_parallel(dict.fromkeys(range(3), together.wait), Deadline(5))
    assert sorted(results.values()) == [0, 1, 2]
