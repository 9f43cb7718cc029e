"""A driver that refuses its declaration ends make up early; running pipelines go on."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from testing import pipelines, playbooks
from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for

ROOT = Path(__file__).resolve().parents[3]
CONTENT = ROOT / "inventories/example/group_vars/all/content.yml"
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
def test_a_new_pipeline_that_refuses_ends_the_wait_and_others_go_on(
    cluster: Cluster, make, declare: Declare
):
    content = yaml.safe_load(CONTENT.read_text())
    content["pipeline_pipelines"]["birds"] = REFUSING
    before = cluster.driver().started()

    failed = make("up", args=declare(content))

    output = failed.stdout + failed.stderr
    assert failed.returncode != 0
    assert "birds: " in output, _reasons(output)
    assert REGISTRY in output
    assert "there is no earlier good declaration to restore" in output
    assert _tries_left(cluster) > 1
    assert cluster.driver().started() == before
    # The undeclared pipeline is removed.
    again = make("up")
    assert again.returncode == 0, again.stdout[-3000:]
    wait_for("status has no problems", lambda: _is_well(make), seconds=120)


def test_a_declaration_that_does_not_run_leaves_the_last_good_one_running(
    cluster: Cluster, make, declare: Declare
):
    content = yaml.safe_load(CONTENT.read_text())
    content["pipeline_databases"] = {
        "shop": {"url": f"jdbc:postgresql://{DATABASE}/shop", "password": "none"}
    }
    content["pipeline_pipelines"]["payments"]["outputs"]["shop"] = {
        "sql": "SELECT paymentId, amount FROM events",
        "table": "payments",
        "keys": ["paymentId"],
        "database": "shop",
    }

    failed = make("up", args=declare(content))

    output = failed.stdout + failed.stderr
    assert failed.returncode != 0
    assert DATABASE in output, _reasons(output)
    assert "its last good declaration runs again, from its own checkpoints" in output
    assert _tries_left(cluster) > 1
    # The earlier pipeline processes each record once.
    with cluster.stream(4_000, 400) as stream:
        ledger = stream.finish(seconds=180)
        stream.reconcile()
    assert ledger["acknowledged"] == 4_000
    again = make("up")
    assert again.returncode == 0, again.stdout[-3000:]
    wait_for("status has no problems", lambda: _is_well(make), seconds=120)


def _tries_left(cluster: Cluster) -> int:
    """Return how many tries were left of the 120 when the last run ended its wait for drivers."""
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
