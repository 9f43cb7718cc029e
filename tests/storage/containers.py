"""Containers of these tests: each has a label and is removed by its id."""

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
TIMEOUT_SECONDS = 600


def image(name: str) -> str:
    """Return the reference of an image of `make images`; STORAGE_IMAGE overrides it."""
    reference = os.environ.get("STORAGE_IMAGE") or find(name, catalogue()).reference
    done = subprocess.run(["docker", "image", "inspect", reference], capture_output=True)
    assert done.returncode == 0, f"{reference} is missing: run make images"
    return reference


def free_port() -> int:
    """Return a free port of the loopback address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def eventually(holds: Callable[[], object], what: str, seconds: float = TIMEOUT_SECONDS) -> None:
    """Wait until ``holds`` is true; AssertionError after ``seconds``."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.5)


class Container:
    """A container in the host network, read-only like those of the platform."""

    def __init__(
        self,
        command: Sequence[str],
        volumes: Mapping[str, str],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start it; ``volumes`` maps paths on this machine to paths inside."""
        self.name = f"storage-test-{uuid.uuid4().hex[:8]}"
        options = [f"--volume={here}:{there}" for here, there in volumes.items()]
        options += [f"--env={key}={value}" for key, value in (environment or {}).items()]
        self.id = output_of(
            *("docker", "run", "--detach", "--init", "--network=host", "--read-only"),
            # Low CPU priority for the sake of other processes on the machine.
            *("--cpu-shares=64", "--cap-drop=ALL", "--user=10001:10001", f"--name={self.name}"),
            *("--label=kafka-metal.test=storage", "--tmpfs=/tmp:exec,mode=1777"),
            *("--tmpfs=/work:exec,mode=1777", *options, image("pipeline"), *command),
        ).strip()

    @property
    def code(self) -> int | None:
        """Return its exit code; None while it runs."""
        state = output_of(
            "docker", "inspect", "--format={{.State.Running}} {{.State.ExitCode}}", self.id
        )
        runs, code = state.split()
        return None if runs == "true" else int(code)

    def log(self) -> str:
        """Return its output so far."""
        done = subprocess.run(["docker", "logs", self.id], capture_output=True, text=True)
        return done.stdout + done.stderr

    def output(self) -> str:
        """Return its standard output."""
        return output_of("docker", "logs", self.id)

    def ended(self) -> int:
        """Wait until it has ended; return its exit code."""
        eventually(lambda: self.code is not None, f"the end of {self.log()[-3000:]}")
        return int(self.code or 0)

    def kill(self) -> None:
        """Kill it as in a crash of the machine."""
        subprocess.run(["docker", "kill", "--signal=KILL", self.id], capture_output=True)

    def remove(self) -> None:
        """Delete it with its volumes."""
        subprocess.run(["docker", "rm", "--force", "--volumes", self.id], capture_output=True)


class Containers(ExitStack):
    """Containers that are removed at the end of the context."""

    def start(
        self,
        command: Sequence[str],
        volumes: Mapping[str, str],
        environment: Mapping[str, str] | None = None,
    ) -> Container:
        """Start a container."""
        made = Container(command, volumes, environment)
        self.callback(made.remove)
        return made


def output_of(*command: str, seconds: float = 900) -> str:
    """Return the output of a command; AssertionError with its output if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout
