"""Wait for facts: every wait polls, is bounded, and says in the end what was seen last."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class NotYet(Exception):
    """The fact does not hold yet; the text is what was observed instead."""


def wait_for(fact: str, probe: Callable[[], T], seconds: float, every: float = 0.5) -> T:
    """What ``probe`` returns once it no longer raises NotYet.

    Raises AssertionError with the last observation after ``seconds``.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            return probe()
        except NotYet as observed:
            if time.monotonic() > end:
                raise AssertionError(f"after {seconds:g} s not: {fact}; seen: {observed}") from None
        time.sleep(every)
