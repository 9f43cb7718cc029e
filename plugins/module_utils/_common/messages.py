# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Words that messages of several subjects share."""

from __future__ import annotations

from collections.abc import Sequence


def some(names: Sequence[str], most: int = 5) -> str:
    """The first ``most`` of ``names`` and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def visible(text: str) -> str:
    """``text`` in one line without control characters, also those that turn its direction.

    Names of a cluster are what clients chose: shown as they are, they could move the cursor of a
    terminal or hide what stands before them. Such characters become escapes, as ``\\x1b``.
    """
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )
