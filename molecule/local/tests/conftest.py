"""The words a person says to make, said to the platform of this scenario."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from testing import playbooks
from testing.cluster import Cluster

ROOT = Path(__file__).resolve().parents[3]
INVENTORY = Path(__file__).resolve().parents[1] / "inventory"
# As the scenario's last run, so that what it left is at rest for the next: its tags and variables.
SKIPPED = "--skip-tags molecule-notest,notest,molecule-idempotence-notest"
EPHEMERAL = os.environ.get("MOLECULE_EPHEMERAL_DIRECTORY")
OF_MOLECULE = f"-i {EPHEMERAL}/inventory" if EPHEMERAL else ""

Make = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def make() -> Make:
    """Run ``make VERB NAME=value…``; ``args`` goes to ansible-playbook."""

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
    said = f"-i {INVENTORY} {OF_MOLECULE} {SKIPPED} {args}"
    return [
        *("make", verb, "CLUSTER=molecule-local", f"ARGS={said}"),
        *(f"{name}={value}" for name, value in variables.items()),
    ]


@pytest.fixture(scope="module")
def services(platform: Cluster, make: Make) -> dict[str, str]:
    """Where each service answers, as the status screen says it."""
    platform.wait_until_whole()
    make("status")
    state = json.loads((playbooks.state(platform.topology.cluster) / "state.json").read_text())
    return {each["name"]: each["endpoint"] for each in state["services"]}
