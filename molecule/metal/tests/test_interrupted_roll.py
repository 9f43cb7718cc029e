"""A killed rolling restart leaves at most one broker down, and the next run finishes it."""

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

# Tasks of a broker's restart: before its stop, while its container is replaced, and while the other
# brokers wait for it; with the seconds after the start of the task.
MOMENTS = {
    "Wait until the cluster tolerates a stop of this broker": 0.0,
    "Create, update or start the container": 1.5,
    "Wait until every broker is registered and every partition has all its replicas": 0.0,
}


# Directory of the node exporter's text files, and how long a killed run may silence alerts.
TEXTFILES = "/var/lib/kafka-metal/textfile"
SILENT_SECONDS = 300


def silenced(cluster: Cluster) -> dict[str, float]:
    """Return the remaining seconds of maintenance, in which alerts are silenced, by instance."""
    found = {}
    for shell in cluster.shells():
        lines = shell.run(f"date +%s; cat {TEXTFILES}/*-maintenance.prom").stdout.splitlines()
        for line in lines:
            if match := re.search(r'of_instance="([^"]+)".* (\d+)$', line):
                found[match[1]] = float(match[2]) - float(lines[0])
    return found


def processes(mark: str) -> list[str]:
    """Return the PIDs on this machine with a text in their arguments."""
    return subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True).stdout.split()


def interrupt(task: str, change: dict) -> str:
    """Start a change and kill it in ``task`` of its rolling restart; return its output."""
    run = playbooks.start("kafka", extra=change)
    output, rolling = [], False
    for line in run.stdout:
        output.append(line)
        rolling = rolling or line.startswith("PLAY [Restart one by one")
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
def declared_settings_restored():
    """Restore the settings after all tests; each test sets another value."""
    yield
    playbooks.run("kafka")


@pytest.mark.parametrize("moment", range(len(MOMENTS)))
def test_the_next_run_finishes_a_killed_one(cluster: Cluster, moment: int):
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
    # Only the broker that was being restarted, and for minutes.
    assert len(silent) <= 1
    assert all(seconds <= SILENT_SECONDS for seconds in silent.values())
    assert "interrupted: roll by" in seen.stdout
    # Alerts are silenced from the stop on, not while a broker waits at the gate.
    assert bool(silent) == (moment > 0), silent
    assert silenced(cluster) == {}
    assert playbooks.changes(playbooks.run("kafka", extra=change)) == 0
