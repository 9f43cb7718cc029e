"""promtool and amtool of the project's own images, in containers that live for one command."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._images.images import catalogue, find

sys.path.insert(0, str(Path(__file__).parent))

Tool = Callable[..., subprocess.CompletedProcess[str]]


def tool(image: str, folder: Path) -> Tool:
    """A program of ``image`` that sees ``folder`` as /work, and no network."""

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
    """Full name of an image, which is built when the engine lacks it."""
    images = catalogue()
    wanted = find(image, images)
    there = subprocess.run(
        ["docker", "image", "inspect", wanted.reference], capture_output=True, check=False
    )
    if there.returncode != 0:
        arguments = [f"{key}={value}" for key, value in wanted.build_args.items()]
        subprocess.run(
            [
                *("docker", "build", "--quiet", "--tag", wanted.reference),
                *(word for each in arguments for word in ("--build-arg", each)),
                wanted.context,
            ],
            check=True,
            capture_output=True,
            timeout=900,
        )
    return wanted.reference


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that the user of containers may read."""
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture
def promtool(folder: Path) -> Tool:
    run = tool("prometheus", folder)
    return lambda *words: run("promtool", *words)


@pytest.fixture
def amtool(folder: Path) -> Tool:
    run = tool("alertmanager", folder)
    return lambda *words: run("amtool", *words)
