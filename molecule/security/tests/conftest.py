import pytest
from testing import sandbox
from testing.cluster import Cluster
from testing.sandbox import Sandbox


@pytest.fixture(scope="module")
def sandboxes(platform: Cluster) -> list[Sandbox]:
    """Every container of the platform; there are some on each machine."""
    platform.wait_until_whole()
    found = sandbox.of(platform)
    assert len(found) >= 3 * len(platform.topology.machines)
    return found
