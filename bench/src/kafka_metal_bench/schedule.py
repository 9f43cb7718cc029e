"""Order of measurements: rotates, so that no side is always first or warmed up."""

from __future__ import annotations

from typing import Iterator, List, Sequence, Tuple, TypeVar

T = TypeVar("T")


def rotated(items: Sequence[T], round_: int) -> List[T]:
    """Return ``items`` rotated by the round: A B C, B C A, C A B, …"""
    first = (round_ - 1) % len(items) if items else 0
    return [*items[first:], *items[:first]]


def interleaved(items: Sequence[T], rounds: int) -> Iterator[Tuple[int, T]]:
    """Yield every item once in each round."""
    for round_ in range(1, rounds + 1):
        for item in rotated(items, round_):
            yield round_, item
