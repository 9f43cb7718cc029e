"""Run promtool and amtool from the project's own images, one container for each command."""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._images.images import catalogue, find

sys.path.insert(0, str(Path(__file__).parent))
# Names with a special meaning, for pages.
sys.path.append(str(Path(__file__).parents[1] / "unit"))

ROOT = Path(__file__).resolve().parents[2]
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
    wanted = find(image, catalogue()).reference
    command = ["docker", "image", "inspect", wanted]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        build(image)
    return wanted


def build(image: str) -> None:
    """Build an optional image as the role `images` does it for hosts of the group monitoring."""
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "become": True,
        "vars": {"images_only": [image]},
        "roles": ["metal.kafka.images"],
    }
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        yaml.safe_dump([play], file)
        file.flush()
        done = subprocess.run(
            ["ansible-playbook", f"--inventory={ROOT / 'inventories/local'}", file.name],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


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
