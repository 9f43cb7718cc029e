"""Waits that poll, have a timeout, and report the last observation."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class NotYet(Exception):
    """The condition does not hold yet; the text is the observation."""


def wait_for(condition: str, probe: Callable[[], T], seconds: float, every: float = 0.5) -> T:
    """Call ``probe`` until it no longer raises NotYet; return its result.

    Raises AssertionError with the last observation after ``seconds``.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            return probe()
        except NotYet as observed:
            if time.monotonic() > end:
                raise AssertionError(
                    f"not within {seconds:g} s: {condition}; found: {observed}"
                ) from None
        time.sleep(every)
