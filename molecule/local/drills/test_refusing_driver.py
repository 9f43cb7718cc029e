"""A driver that refuses its declaration ends the wait of make up, and what ran goes on."""

import time

from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for


def test_a_driver_that_refuses_ends_the_wait_and_what_ran_goes_on(cluster: Cluster, make, declared):
    # Another aggregate does not fit the state in the checkpoint.
    other = "SELECT country, max(amount) AS amount FROM events GROUP BY country"
    began = time.monotonic()

    failed = make("up", args=f"-e @{declared('metrics', sql=other, key='country')}")

    took = time.monotonic() - began
    said = failed.stdout + failed.stderr
    assert failed.returncode != 0
    assert "pipeline payments: outputs.metrics" in said
    assert "its last good declaration runs again" in said
    # Not the 120 tries.
    assert took < 300

    def runs() -> None:
        if make("status").returncode:
            raise NotYet("the pipeline does not run as before")

    wait_for("the last good declaration runs", runs, seconds=180)
    again = make("up")
    assert again.returncode == 0, again.stdout[-3000:]
