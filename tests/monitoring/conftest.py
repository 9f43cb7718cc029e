"""Run promtool and amtool from the project's own images, one container for each command."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._images.images import catalogue, find

sys.path.insert(0, str(Path(__file__).parent))

Tool = Callable[..., subprocess.CompletedProcess[str]]


def tool(image: str, folder: Path) -> Tool:
    """Return a runner of commands in ``image``, with ``folder`` as /work and without network."""

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                *("docker", "run", "--rm", "--network", "none", "--read-only", "--cap-drop", "ALL"),
                *("--tmpfs", "/tmp", "--volume", f"{folder}:/work:ro", "--workdir", "/work"),
                *("--user", "10001:10001", reference(image), *command),
            ],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


def reference(image: str) -> str:
    """Return the full name of an image; build it if the engine does not have it."""
    images = catalogue()
    wanted = find(image, images)
    inspected = subprocess.run(
        ["docker", "image", "inspect", wanted.reference], capture_output=True, check=False
    )
    if inspected.returncode != 0:
        build_args = [f"{key}={value}" for key, value in wanted.build_args.items()]
        subprocess.run(
            [
                *("docker", "build", "--quiet", "--tag", wanted.reference),
                *(option for each in build_args for option in ("--build-arg", each)),
                wanted.context,
            ],
            check=True,
            capture_output=True,
            timeout=900,
        )
    return wanted.reference


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that the user of the containers may read."""
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture
def promtool(folder: Path) -> Tool:
    run = tool("prometheus", folder)
    return lambda *arguments: run("promtool", *arguments)


@pytest.fixture
def amtool(folder: Path) -> Tool:
    run = tool("alertmanager", folder)
    return lambda *arguments: run("amtool", *arguments)
