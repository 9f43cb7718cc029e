"""Verbs of make on the platform of this scenario, and endpoints of its services."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from testing import pages, playbooks
from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for

ROOT = Path(__file__).resolve().parents[3]
INVENTORY = Path(__file__).resolve().parents[1] / "inventory"
# Tags and variables of the scenario's last run, so that the site is unchanged for the next.
SKIPPED = "--skip-tags molecule-notest,notest,molecule-idempotence-notest"
EPHEMERAL = os.environ.get("MOLECULE_EPHEMERAL_DIRECTORY")
OF_MOLECULE = f"-i {EPHEMERAL}/inventory" if EPHEMERAL else ""

Make = Callable[..., subprocess.CompletedProcess[str]]
Ask = Callable[[str], Any]


@pytest.fixture(scope="session")
def make() -> Make:
    """Run ``make VERB NAME=value…``; ``args`` are passed to ansible-playbook."""

    def run(
        verb: str, *, args: str = "", seconds: float = 600, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            _command(verb, args, variables),
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=seconds,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    return run


def _command(verb: str, args: str, variables: Mapping[str, str]) -> list[str]:
    arguments = f"-i {INVENTORY} {OF_MOLECULE} {SKIPPED} {args}"
    return [
        *("make", verb, "CLUSTER=molecule-local", f"ARGS={arguments}"),
        *(f"{name}={value}" for name, value in variables.items()),
    ]


@pytest.fixture(scope="module")
def services(platform: Cluster, make: Make) -> dict[str, str]:
    """Endpoints of services by name, without their machine, from the status screen."""
    platform.wait_until_whole()
    make("status")
    state = json.loads((playbooks.state(platform.topology.cluster) / "state.json").read_text())
    return {each["name"].partition("@")[0]: each["endpoint"] for each in state["services"]}


@pytest.fixture
def ask(cluster: Cluster) -> Ask:
    """Read a path below the running driver's application in the REST API of Spark's history."""
    (history,) = cluster.topology.histories.values()
    since = datetime.fromisoformat(cluster.driver().started()).timestamp()

    def listed() -> str:
        found = pages.get(history.endpoint, "/api/v1/applications?status=running")
        # A killed driver is still listed as running.
        own = [
            each["id"]
            for each in found
            if each["name"] == "pipeline-payments"
            and each["attempts"][0]["startTimeEpoch"] / 1000 > since
        ]
        if not own:
            raise NotYet(f"applications: {sorted(each['id'] for each in found)}")
        return max(own)

    application = wait_for("the history lists the running driver", listed, seconds=60)

    def get(path: str) -> Any:
        path = f"/api/v1/applications/{application}/{path}"
        return pages.get(history.endpoint, path, seconds=30)

    return get
