# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""How far a starting broker is with the recovery of its logs."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Kafka says so for each log it has loaded after a start, by log dir.
LOADED = re.compile(r"\((\d+)/(\d+) completed in ([^)]+)\)")


def recovered(lines: Iterable[str]) -> tuple[int, int] | None:
    """Logs that a broker has loaded since its start, and how many there are, over all log dirs.

    None while it has not begun; a log dir that it has not come to yet does not count.
    """
    dirs = {
        found[3]: (int(found[1]), int(found[2])) for found in map(LOADED.search, lines) if found
    }
    if not dirs:
        return None
    return sum(done for done, _ in dirs.values()), sum(total for _, total in dirs.values())
