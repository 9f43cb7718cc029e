"""Fixtures of the tests of all scenarios; molecule passes the inventory as an option."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import testinfra

sys.path.insert(0, str(Path(__file__).parent / "shared"))

from testing import access, playbooks, topology
from testing.cluster import Cluster


@pytest.fixture(scope="session")
def inventory(pytestconfig: pytest.Config) -> str:
    path = pytestconfig.getoption("ansible_inventory")
    assert path, "the tests need --ansible-inventory=PATH"
    return str(path)


@pytest.fixture(scope="session", autouse=True)
def _use_inventory_for_playbooks(inventory: str) -> None:
    playbooks.inventory = inventory


@pytest.fixture(scope="session")
def connect(inventory: str) -> Callable[[str], testinfra.host.Host]:
    @cache
    def to(machine: str) -> testinfra.host.Host:
        if machine == "localhost":
            return testinfra.get_host("local://")
        return testinfra.get_host(f"ansible://{machine}", ansible_inventory=inventory)

    return to


@pytest.fixture(scope="session")
def platform(inventory: str, connect: Callable[[str], testinfra.host.Host]) -> Cluster:
    # Separated by commas; a later inventory takes precedence, as with several --inventory.
    found = topology.read(*map(Path, inventory.split(",")))
    access.use(found.cluster)
    return Cluster(found, connect)


@pytest.fixture
def cluster(platform: Cluster) -> Cluster:
    """The platform, after waiting until it is healthy, so that tests may run in any order."""
    platform.wait_until_whole()
    return platform
