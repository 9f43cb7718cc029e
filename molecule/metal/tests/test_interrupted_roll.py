"""A roll whose control node dies leaves at most one broker down, and the next run finishes it."""

import os
import re
import signal
import subprocess
import time

import pytest
from testing import playbooks
from testing.cluster import Cluster
from testing.rolls import restarted, starts
from testing.waiting import NotYet, wait_for

# Tasks of a turn: before the stop, while the container is made anew, and while others wait for it;
# and seconds into it. The first and the last are over within a second where nothing is behind.
MOMENTS = {
    "Wait until the cluster tolerates a stop of this broker": 0.0,
    "Container runs as declared": 1.5,
    "Wait until every broker is registered and every partition has all its replicas": 0.0,
}


# Where the node exporter finds what is stopped; and for how long a killed run may silence that.
TEXTFILES = "/var/lib/kafka-metal/textfile"
SILENT_SECONDS = 300


def silenced(cluster: Cluster) -> dict[str, float]:
    """For how many seconds alerts are silent yet, by instance."""
    found = {}
    for shell in cluster.shells():
        lines = shell.run(f"date +%s; cat {TEXTFILES}/*-maintenance.prom").stdout.splitlines()
        for line in lines:
            if match := re.search(r'of_instance="([^"]+)".* (\d+)$', line):
                found[match[1]] = float(match[2]) - float(lines[0])
    return found


def processes(mark: str) -> list[str]:
    """Processes on this machine that have a text among their arguments."""
    return subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True).stdout.split()


def interrupt(task: str, change: dict) -> str:
    """Run a change until ``task`` has begun in its roll, kill everything of it."""
    run = playbooks.start("kafka", extra=change)
    output, rolling = [], False
    for line in run.stdout:
        output.append(line)
        rolling = rolling or line.startswith("PLAY [Restart behind the gate")
        if rolling and line.startswith("TASK") and task in line:
            time.sleep(MOMENTS[task])
            break
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    assert run.returncode == -signal.SIGKILL, "".join(output[-40:])
    value = change["kafka_broker_properties"]["queued.max.requests"]

    def ended() -> None:
        if left := processes(f'queued.max.requests": {value}'):
            raise NotYet(f"processes {left}")

    wait_for("the processes of its tasks end with it", ended, seconds=20)
    return "".join(output)


@pytest.fixture(scope="module", autouse=True)
def as_declared_in_the_end():
    """Once for all moments: each changes to another value."""
    yield
    playbooks.run("kafka")


@pytest.mark.parametrize("moment", range(len(MOMENTS)))
def test_the_next_run_finishes_what_a_killed_one_began(cluster: Cluster, moment: int):
    change = {
        "kafka_broker_properties": {"queued.max.requests": 700 + moment},
        "roll_textfile_dir": TEXTFILES,
    }
    before = starts(cluster)

    interrupt(list(MOMENTS)[moment], change)
    left = starts(cluster)
    silent = silenced(cluster)
    seen = playbooks.run("preflight", extra={"roll_textfile_dir": TEXTFILES})
    resumed = playbooks.run("kafka", extra=change)
    after = starts(cluster)

    assert len(cluster.topology.brokers) - len(left) <= 1
    assert sorted(restarted(before, after)) == sorted(cluster.topology.brokers)
    assert "resuming an interrupted operation" in resumed.stdout
    # Only the one that was being restarted, and for minutes.
    assert len(silent) <= 1
    assert all(seconds <= SILENT_SECONDS for seconds in silent.values())
    assert "interrupted: roll by" in seen.stdout
    # From the stop on: what waits at the gate is as loud as ever.
    assert bool(silent) == (moment > 0), silent
    assert silenced(cluster) == {}
    assert playbooks.changes(playbooks.run("kafka", extra=change)) == 0
