import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Helpers beside the tests are imported by name; pytest's import mode leaves this folder out.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def impatient() -> Iterator[None]:
    """Without an answer in ten seconds a test fails."""

    def late(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(10)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
