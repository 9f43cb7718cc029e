import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Helpers beside the tests are imported by name; pytest's import mode leaves this folder out.
sys.path.insert(0, str(Path(__file__).parent))

from containers import Containers
from places import KINDS, Place


@pytest.fixture(scope="module", params=KINDS)
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """A storage of each kind with a real server, and a Spark cluster that reaches it."""
    root = tmp_path_factory.mktemp(request.param)
    for folder in (root, *list(root.parents)[:2]):
        folder.chmod(0o755)
    with Containers() as containers:
        yield Place(request.param, root, containers)
