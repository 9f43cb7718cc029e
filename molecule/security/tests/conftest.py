from pathlib import Path

import pytest
from testing import sandbox
from testing.cluster import Cluster
from testing.keys import Keys
from testing.sandbox import Sandbox


@pytest.fixture(scope="module")
def sandboxes(platform: Cluster) -> list[Sandbox]:
    """Every container of the platform; there are some on each machine."""
    platform.wait_until_whole()
    found = sandbox.of(platform)
    assert len(found) >= 3 * len(platform.topology.machines)
    return found


@pytest.fixture
def keys(cluster: Cluster, tmp_path: Path) -> Keys:
    """Keys and certificates of every kind, in files."""
    return Keys(cluster, tmp_path)
