"""In which order what is measured, so that no side always has the first or the warm place."""

from __future__ import annotations

from typing import Iterator, List, Sequence, Tuple, TypeVar

T = TypeVar("T")


def rotated(items: Sequence[T], round_: int) -> List[T]:
    """``items`` beginning with another one in every round: A B C, B C A, C A B, …"""
    first = (round_ - 1) % len(items) if items else 0
    return [*items[first:], *items[:first]]


def interleaved(items: Sequence[T], rounds: int) -> Iterator[Tuple[int, T]]:
    """Every item once in each round, never all rounds of one item in a row."""
    for round_ in range(1, rounds + 1):
        for item in rotated(items, round_):
            yield round_, item
