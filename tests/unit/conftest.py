import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Tests import helper modules of this directory by name; pytest's import mode does not add it.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def time_limit() -> Iterator[None]:
    """Fail a test after ten seconds."""

    def late(*_: object) -> None:
        raise AssertionError("the test takes longer than 10 s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(10)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
