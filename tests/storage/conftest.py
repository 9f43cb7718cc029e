import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Helpers in this folder are imported by name; pytest's import mode does not add it to sys.path.
sys.path.insert(0, str(Path(__file__).parent))

from containers import Containers
from places import KINDS, Place


@pytest.fixture(scope="module", params=KINDS)
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """A storage of each kind with a real server, and a Spark cluster that uses it."""
    root = tmp_path_factory.mktemp(request.param)
    for folder in (root, *list(root.parents)[:2]):
        folder.chmod(0o755)
    with Containers() as containers:
        yield Place(request.param, root, containers)
