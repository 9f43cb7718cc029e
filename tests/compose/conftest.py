"""Compose v2 in a container with the engine's socket, and the running project."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "compose"
INVENTORY = ROOT / "inventories/compose"
IMAGE = "kafka-metal-test/compose"

Run = Callable[..., str]


def run(*command: str, seconds: float = 600) -> str:
    """Return the output of a command; AssertionError with its output if it fails."""
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=seconds, check=False
    )
    assert done.returncode == 0, (
        f"{' '.join(command)}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    )
    return done.stdout


@pytest.fixture(scope="session")
def compose() -> Run:
    run("docker", "build", "--quiet", "--tag", IMAGE, str(Path(__file__).parent))

    def run_compose(*words: str, seconds: float = 600) -> str:
        # The project's folder has the same path inside, where the engine resolves bind mounts.
        return run(
            *("docker", "run", "--rm", "--network", "none"),
            *("--volume", "/var/run/docker.sock:/var/run/docker.sock"),
            *("--volume", f"{PROJECT}:{PROJECT}:ro", "--workdir", str(PROJECT)),
            *(IMAGE, "docker", "compose", *words),
            seconds=seconds,
        )

    return run_compose


def make_keys() -> str:
    """Run the playbook of `make compose`; return its output."""
    return run("ansible-playbook", "-i", str(INVENTORY), str(ROOT / "playbooks/compose.yml"))


@pytest.fixture(scope="session")
def keys() -> None:
    make_keys()


@pytest.fixture(scope="session")
def project(compose: Run, keys: None) -> Iterator[Run]:
    compose("down", "--volumes", "--timeout", "5")
    try:
        compose("up", "--detach", "--wait", "--wait-timeout", "300")
        yield compose
    finally:
        compose("down", "--volumes", "--timeout", "5")
