# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Progress of the log recovery of a starting broker."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Kafka logs this for each log it has loaded after a start, per log dir.
LOADED = re.compile(r"\((\d+)/(\d+) completed in ([^)]+)\)")


def count_recovered_logs(lines: Iterable[str]) -> tuple[int, int] | None:
    """Return the number of loaded logs and of all logs, over all log dirs of a broker.

    None before the recovery starts; log dirs without a loaded log do not count.
    """
    dirs = {
        found[3]: (int(found[1]), int(found[2])) for found in map(LOADED.search, lines) if found
    }
    if not dirs:
        return None
    return sum(done for done, _ in dirs.values()), sum(total for _, total in dirs.values())
