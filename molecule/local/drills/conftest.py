"""Fixtures of the drills, shared with the tests of the same platform."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from testing import pages
from testing.cluster import Cluster
from testing.prometheus import Prometheus
from testing.schema_registry import Registry

DRILLS = Path(__file__).resolve().parent
TESTS = DRILLS.with_name("tests")


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_of_local_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_tests = _module(TESTS / "conftest.py")
make = _tests.make
ask = _tests.ask
services = _tests.services
_declared_pipeline = _module(DRILLS / "test_declared_pipeline.py")
flights = _declared_pipeline.flights
own = _declared_pipeline.own


@pytest.fixture(scope="module")
def registry(platform: Cluster, make) -> Iterator[Registry]:
    """Two instances of Schema Registry, which are removed at the end."""
    platform.wait_until_whole()
    found = Registry(platform, make, DRILLS.with_name("registry"))
    try:
        found.up()
        found.read_access()
        found.wait_until_ready()
        yield found
    finally:
        found.remove()
        make("up", seconds=900)


@pytest.fixture(scope="module")
def prometheus(registry: Registry) -> Prometheus:
    """Prometheus of the cluster; status writes where it is."""
    registry.run("status")
    endpoint = pages.endpoint(registry.cluster.topology.cluster, "prometheus")
    return Prometheus(registry.cluster, "localhost", endpoint)
