# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What a person may have meant by a word that is none of those allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """The name of ``known`` that ``name`` is most likely a slip of, or None."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.75)
    return near[0] if near else None


def one_of(name: str, known: Iterable[str]) -> str:
    """Text for what is allowed: the likely meant name first, then all of them."""
    names = sorted(known)
    near = did_you_mean(name, names)
    return (f"{near} (did you mean that?), " if near else "") + "one of " + ", ".join(names)
