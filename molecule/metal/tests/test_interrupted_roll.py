"""A roll whose control node dies leaves at most one broker down, and the next run finishes it."""

import os
import signal
import time

import pytest
from testing import playbooks
from testing.cluster import Cluster
from testing.rolls import restarted, starts

# Tasks of a turn: before the stop, while the container is made anew, and while others wait for it.
MOMENTS = [
    "Cluster can do without this broker",
    "Container runs as declared",
    "Every broker is registered and every partition has all its replicas",
]


def interrupt(task: str, change: dict) -> str:
    """Run a change until ``task`` begins the second time of its roll, kill everything of it."""
    run = playbooks.start("kafka", extra=change)
    said, rolling = [], False
    for line in run.stdout:
        said.append(line)
        rolling = rolling or line.startswith("PLAY [Restart behind the gate")
        if rolling and line.startswith("TASK") and task in line:
            # In the middle of it, not before it.
            time.sleep(1.5)
            break
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    assert run.returncode == -signal.SIGKILL, "".join(said[-40:])
    return "".join(said)


@pytest.fixture(scope="module", autouse=True)
def as_declared_in_the_end():
    """Once for all moments: each changes to another value."""
    yield
    playbooks.run("kafka")


@pytest.mark.parametrize("moment", range(len(MOMENTS)))
def test_the_next_run_finishes_what_a_killed_one_began(cluster: Cluster, moment: int):
    change = {"kafka_broker_properties": {"queued.max.requests": 700 + moment}}
    before = starts(cluster)

    interrupt(MOMENTS[moment], change)
    left = starts(cluster)
    resumed = playbooks.run("kafka", extra=change)
    after = starts(cluster)

    assert len(cluster.topology.brokers) - len(left) <= 1
    assert sorted(restarted(before, after)) == sorted(cluster.topology.brokers)
    assert "resuming after an interrupted operation" in resumed.stdout
    assert playbooks.changes(playbooks.run("kafka", extra=change)) == 0
