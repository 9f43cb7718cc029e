"""A driver that refuses its declaration ends make up early; running pipelines go on."""

import json
import math
import re
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from testing import pages, pipelines, playbooks
from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for

# Only the driver detects that no process listens there.
REGISTRY = "http://127.0.0.1:1"
DATABASE = "127.0.0.1:1"
REFUSING = {
    "source": {
        "topic": "payments",
        "format": "avro",
        "registry": {"url": REGISTRY},
        "schema": "paymentId STRING",
    },
    "outputs": {"all": {"sql": "SELECT * FROM events", "path": "birds"}},
    "invalid": "payments_invalid",
    "resources": {"cores": 1, "executor_memory": "768m", "driver_memory": "768m"},
}

Declare = Callable[[dict[str, Any]], str]


@pytest.fixture
def declare(tmp_path: Path) -> Declare:
    """Write other content to a file; return the option that reads it."""

    def write(content: dict[str, Any]) -> str:
        file = tmp_path / "content.json"
        file.write_text(json.dumps(content))
        return f"-e @{file}"

    return write


@pytest.fixture
def birds(cluster: Cluster) -> Iterator[None]:
    yield
    pipelines.remove(cluster, "birds")


@pytest.mark.usefixtures("birds")
def test_other_pipelines_go_on_and_a_good_declaration_returns(
    cluster: Cluster, make, declare: Declare
):
    content = deepcopy(cluster.topology.content)
    payments = content["pipeline_pipelines"]["payments"]
    # Runs, while the new pipeline does not: this is the last good declaration from now on.
    payments["trigger"] = "2 seconds"
    content["pipeline_pipelines"]["birds"] = REFUSING

    began = time.monotonic()
    failed = make("up", args=declare(content))

    # It was restarted for its declaration only.
    starts = cluster.driver().lines("share one read", math.ceil(time.monotonic() - began))
    assert len(starts.splitlines()) == 1, starts
    output = failed.stdout + failed.stderr
    assert failed.returncode != 0
    assert "birds: " in output, _reasons(output)
    assert "payments: " not in _reasons(output)
    assert REGISTRY in output
    assert "there is no earlier good declaration to restore" in output
    assert _tries_left(cluster) > 1

    del content["pipeline_pipelines"]["birds"]
    content["pipeline_databases"] = {
        "shop": {"url": f"jdbc:postgresql://{DATABASE}/shop", "password": "none"}
    }
    payments["outputs"]["shop"] = {
        "sql": "SELECT paymentId, amount FROM events",
        "table": "payments",
        "keys": ["paymentId"],
        "database": "shop",
    }

    # The undeclared pipeline is removed.
    failed = make("up", args=declare(content))

    output = failed.stdout + failed.stderr
    assert failed.returncode != 0
    assert DATABASE in output, _reasons(output)
    assert "its last good declaration runs again, from its own checkpoints" in output
    assert _tries_left(cluster) > 1
    assert _declaration(cluster)["trigger"] == "2 seconds"
    # The earlier pipeline processes each record once.
    with cluster.stream(4_000, 400) as stream:
        ledger = stream.finish(seconds=180)
        stream.reconcile()
    assert ledger["acknowledged"] == 4_000
    again = make("up")
    assert again.returncode == 0, again.stdout[-3000:]
    wait_for("status has no problems", lambda: _is_well(make), seconds=120)


def test_a_right_that_returns_is_used_at_once(cluster: Cluster, make, declare: Declare):
    content = deepcopy(cluster.topology.content)
    del content["pipeline_pipelines"]["payments"]["outputs"]["fraud_once"]
    status = cluster.topology.drivers["payments"].endpoint

    def waits_long() -> None:
        found = pages.get(status, "/status")["outputs"]["fraud_once"]
        if not found["exception"] or found["restarts"] < 3:
            raise NotYet(str(found))

    # Only the rights of the output are withdrawn.
    withdrawn = make("topics", args=declare(content))
    assert withdrawn.returncode == 0, withdrawn.stdout[-3000:]
    with cluster.stream(2_000, 400) as stream:
        stream.finish(seconds=180)
    wait_for("the output has failed several times", waits_long, seconds=300)

    again = make("up")

    assert again.returncode == 0, again.stdout[-3000:]
    wait_for("status has no problems", lambda: _is_well(make), seconds=120)


def _declaration(cluster: Cluster) -> dict[str, Any]:
    """Return the declaration that the driver of `payments` runs."""
    machine = cluster.machine(cluster.topology.drivers["payments"])
    folder = f"/etc/kafka-metal/{cluster.topology.cluster}-pipeline-payments"
    declared: dict[str, Any] = yaml.safe_load(machine.file(f"{folder}/pipeline.yml").content_string)
    return declared


def _tries_left(cluster: Cluster) -> int:
    """Return how many tries were left of the 240 when the last run ended its wait for drivers."""
    log = (playbooks.state(cluster.topology.cluster) / "up.log").read_text()
    tries = re.findall(r"Read the state of every driver.*\((\d+) retries left\)", log)
    return int(tries[-1])


def _reasons(output: str) -> str:
    """Return the part of a run's output about failed pipelines, or its end."""
    begin, why, after = output.partition("of the pipelines do not run as declared")
    return (why + after)[:3000] if why else begin[-3000:]


def _is_well(make) -> None:
    """Alerts about the failed run fire up to a minute longer."""
    status = make("status")
    if status.returncode:
        raise NotYet(status.stdout)
