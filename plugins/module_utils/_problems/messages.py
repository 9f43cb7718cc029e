# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Formatting that messages of several packages share."""

from __future__ import annotations

import time
from collections.abc import Sequence


def shorten_list(names: Sequence[str], most: int = 5) -> str:
    """Return the first ``most`` of ``names`` and the number of further ones."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def printable_line(text: str) -> str:
    """Return ``text`` in one line without control characters and marks of text direction.

    Clients choose names such as those of consumer groups. Printed unchanged, they could move the
    cursor of a terminal or hide other text. Such characters become escapes, as ``\\x1b``.
    """
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def utc_time(seconds: float) -> str:
    """Return seconds since 1970 as date and time in UTC."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(float(seconds)))
