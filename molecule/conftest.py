"""Fixtures of every scenario's tests; molecule hands over the inventory and the scenario."""

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
def _playbooks_know_the_inventory(inventory: str) -> None:
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
    # A scenario may lay its own inventory over another, as --inventory does when given twice.
    found = topology.read(*map(Path, inventory.split(",")))
    access.use(found.cluster)
    return Cluster(found, connect)


@pytest.fixture
def cluster(platform: Cluster) -> Cluster:
    """The platform, whole: whatever the test before has done to it, so that any order works."""
    platform.wait_until_whole()
    return platform
