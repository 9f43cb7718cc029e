"""Commands of docs/start run one by one, as written, in a copy of this checkout."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from checkout import Checkout

# The cluster that the pages use; a test may not touch one of the developer.
CLUSTER = "local"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Checkout:
    listed = ["docker", "ps", "-aq", "--filter", f"name=^{CLUSTER}-"]
    if subprocess.run(listed, capture_output=True, text=True, check=True).stdout:
        pytest.fail(f"cluster {CLUSTER} is on this machine; allowed: none: make destroy")
    return Checkout.copy(tmp_path_factory.mktemp("checkout") / "kafka-metal")


@pytest.fixture(scope="module")
def platform(checkout: Checkout) -> Iterator[Checkout]:
    """The first command of the README; everything is deleted at the end."""
    try:
        checkout.run("make up")
        yield checkout
    finally:
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
    none, one = (found for command, found in outputs.items() if "flights_invalid" in command)
    assert none == ""
    reason = '"reason":"wrong_type","detail":"dep_delay: expected BIGINT, found late"'
    assert one.startswith(f"{{{reason},")


def test_a_client_writes_and_reads_with_its_own_files(platform: Checkout, content: Path):
    page = platform.page("client")
    page.declare(content)
    outputs = platform.follow("client")

    assert '{"order": 1}' in outputs[list(outputs)[-1]].splitlines()
    ((_, program),) = page.blocks("python")
    (platform.folder / "orders.py").write_text(program, encoding="utf-8")
    config = "inventories/local/.kafka-metal/local/users/shop/client.conf"
    assert "order" in platform.run(f"{sys.executable} orders.py {config}")


@pytest.fixture
def compose(tmp_path: Path, monkeypatch) -> None:
    """Compose v2, which the page requires: on a machine without it, that of an image."""
    if subprocess.run(
        ["docker", "compose", "version"], capture_output=True, check=False
    ).returncode:
        image = "kafka-metal-test/compose"
        recipe = Path(__file__).parents[1] / "compose"
        subprocess.run(["docker", "build", "--quiet", "--tag", image, recipe], check=True)
        plugin = tmp_path / "cli-plugins/docker-compose"
        plugin.parent.mkdir()
        source = ["cat", "/usr/libexec/docker/cli-plugins/docker-compose"]
        with plugin.open("wb") as file:
            subprocess.run(["docker", "run", "--rm", image, *source], stdout=file, check=True)
        plugin.chmod(0o755)
        monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))


@pytest.mark.usefixtures("compose")
def test_the_laptop_runs_compose_and_deletes_it(checkout: Checkout):
    outputs = checkout.follow("laptop")

    assert any("3 brokers" in found for found in outputs.values())
