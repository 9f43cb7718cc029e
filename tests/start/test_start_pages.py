"""Commands of docs/start run one by one, as written, in a copy of this checkout."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from pages import Page

ROOT = Path(__file__).resolve().parents[2]
# The cluster that the pages use; a test may not touch one of the developer.
CLUSTER = "local"
SECONDS = 1800


class Checkout:
    """A copy of the sources, with a shell in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def page(self, name: str) -> Page:
        """A page of docs/start."""
        return Page(self.folder / "docs/start" / f"{name}.md")

    def run(self, command: str) -> str:
        """Run a command as a user's shell does; returns its output, and fails with it."""
        own = {key: value for key, value in os.environ.items() if not key.startswith("MOLECULE")}
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=self.folder, env=own, capture_output=True, text=True, timeout=SECONDS,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        output = done.stdout + done.stderr
        assert done.returncode == 0, f"{command}\nends with {done.returncode}:\n{output[-3000:]}"
        return done.stdout

    def follow(self, name: str) -> dict[str, str]:
        """Run every command of a page; returns the output of each."""
        outputs = {}
        for number, command in self.page(name).commands():
            print(f"docs/start/{name}.md:{number}: {command}", flush=True)
            outputs[command] = self.run(command)
        assert outputs
        return outputs


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Checkout:
    """The sources as they are, committed or not, without anything that a run leaves."""
    listed = ["docker", "ps", "-aq", "--filter", f"name=^{CLUSTER}-"]
    if subprocess.run(listed, capture_output=True, text=True, check=True).stdout:
        pytest.fail(f"cluster {CLUSTER} is on this machine; allowed: none: make destroy")
    folder = tmp_path_factory.mktemp("checkout") / "kafka-metal"
    tracked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(tracked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).exists():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target, follow_symlinks=False)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return Checkout(folder)


@pytest.fixture(scope="module")
def platform(checkout: Checkout) -> Iterator[Checkout]:
    """The first command of the README; everything is deleted at the end."""
    checkout.run("make up")
    yield checkout
    checkout.run(f"make destroy CONFIRM={CLUSTER}")


@pytest.fixture(scope="module")
def content(checkout: Checkout) -> Path:
    """The declarations that the pages change."""
    return checkout.folder / "inventories/local/group_vars/all/content.yml"


def test_your_data_ends_with_the_records_of_the_page(platform: Checkout, content: Path):
    page = platform.page("your-data")
    page.declare(content)
    outputs = platform.follow("your-data")

    (read,) = (found for command, found in outputs.items() if "late_flights" in command)
    assert read.splitlines()
    shown = [block.splitlines() for _, block in page.blocks("text")]
    assert sorted(read.splitlines()) in [sorted(lines) for lines in shown]
    (invalid,) = (found for command, found in outputs.items() if "flights_invalid" in command)
    assert invalid == ""


def test_a_client_writes_and_reads_with_its_own_files(platform: Checkout, content: Path):
    page = platform.page("client")
    page.declare(content)
    outputs = platform.follow("client")

    assert '{"order": 1}' in outputs[list(outputs)[-1]].splitlines()
    ((_, program),) = page.blocks("python")
    (platform.folder / "orders.py").write_text(program, encoding="utf-8")
    config = "inventories/local/.kafka-metal/local/users/shop/client.conf"
    assert "order" in platform.run(f"{sys.executable} orders.py {config}")


def test_the_laptop_runs_compose_and_deletes_it(checkout: Checkout):
    outputs = checkout.follow("laptop")

    assert any("3 brokers" in found for found in outputs.values())
