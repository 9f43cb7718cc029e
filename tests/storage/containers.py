"""Containers of these tests: each has a label, and is ended by the id it was started with."""

import os
import socket
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from ansible_collections.metal.kafka.plugins.plugin_utils._images.images import catalogue, find

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache/storage"
INSIDE = Path(__file__).parent / "inside"
PATIENCE_S = 600


def image(name: str) -> str:
    """An image of the project, which `make images` builds; STORAGE_IMAGE names another one."""
    reference = os.environ.get("STORAGE_IMAGE") or find(name, catalogue()).reference
    done = subprocess.run(["docker", "image", "inspect", reference], capture_output=True)
    assert done.returncode == 0, f"{reference} is not there: make images"
    return reference


def free_port() -> int:
    """A port of the loopback address that nothing listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def eventually(holds: Callable[[], object], what: str, seconds: float = PATIENCE_S) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.5)


class Container:
    """A container in the network of this machine, read-only as those of the platform."""

    def __init__(
        self,
        command: Sequence[str],
        volumes: Mapping[str, str],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start it; ``volumes`` map places on this machine to places inside."""
        self.name = f"storage-test-{uuid.uuid4().hex[:8]}"
        options = [f"--volume={here}:{there}" for here, there in volumes.items()]
        options += [f"--env={key}={value}" for key, value in (environment or {}).items()]
        self.id = said(
            *("docker", "run", "--detach", "--init", "--network=host", "--read-only"),
            # Whatever else runs on the machine goes first.
            *("--cpu-shares=64", "--cap-drop=ALL", "--user=10001:10001", f"--name={self.name}"),
            *("--label=kafka-metal.test=storage", "--tmpfs=/tmp:exec,mode=1777"),
            *("--tmpfs=/work:exec,mode=1777", *options, image("pipeline"), *command),
        ).strip()

    @property
    def code(self) -> int | None:
        """Its exit code, None while it runs."""
        state = said(
            "docker", "inspect", "--format={{.State.Running}} {{.State.ExitCode}}", self.id
        )
        runs, code = state.split()
        return None if runs == "true" else int(code)

    def log(self) -> str:
        """What it said so far."""
        done = subprocess.run(["docker", "logs", self.id], capture_output=True, text=True)
        return done.stdout + done.stderr

    def output(self) -> str:
        """What it said on its standard output alone."""
        return said("docker", "logs", self.id)

    def ended(self) -> int:
        """Its exit code, once it has ended."""
        eventually(lambda: self.code is not None, f"the end of {self.log()[-3000:]}")
        return int(self.code or 0)

    def kill(self) -> None:
        """End it as a machine that dies does."""
        subprocess.run(["docker", "kill", "--signal=KILL", self.id], capture_output=True)

    def remove(self) -> None:
        """Leave nothing of it."""
        subprocess.run(["docker", "rm", "--force", "--volumes", self.id], capture_output=True)


class Containers(ExitStack):
    """Containers that end with the test, or with the session."""

    def start(
        self,
        command: Sequence[str],
        volumes: Mapping[str, str],
        environment: Mapping[str, str] | None = None,
    ) -> Container:
        """Start one."""
        made = Container(command, volumes, environment)
        self.callback(made.remove)
        return made


def said(*command: str, seconds: float = 900) -> str:
    """Output of a command; AssertionError with what it said when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout
