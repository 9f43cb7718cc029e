# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Words that sentences of several subjects share."""

from __future__ import annotations

from collections.abc import Sequence


def some(names: Sequence[str], most: int = 5) -> str:
    """The first ``most`` of ``names`` and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
