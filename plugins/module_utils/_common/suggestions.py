# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Suggestions for names that are not allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], similarity: float = 0.75) -> str | None:
    """Return the name of ``known`` that ``name`` is most likely a typo of, or None.

    ``similarity`` is the least accepted one, from 0 to 1, which is an equal name.
    """
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=similarity)
    return near[0] if near else None


def list_allowed(name: str, known: Iterable[str]) -> str:
    """Return text that lists the allowed names: the most similar one first, then all."""
    names = sorted(known)
    near = did_you_mean(name, names)
    return (f"{near} (did you mean that?), " if near else "") + "one of " + ", ".join(names)
