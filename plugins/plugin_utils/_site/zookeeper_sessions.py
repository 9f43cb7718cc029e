# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Sessions of ZooKeeper's clients: how long a server remembers one that is gone."""

from __future__ import annotations

from . import spark
from .inventory import Inventory

# A standby master of Spark takes over when the leader's session expires. Spark requests a minute,
# so a cluster with Spark has a lower limit.
LIMIT_MS, LIMIT_UNDER_SPARK_MS = 40_000, 10_000


def max_session_timeout(inventory: Inventory) -> int:
    """Longest session timeout in milliseconds."""
    return LIMIT_UNDER_SPARK_MS if spark.recovery_servers(inventory) else LIMIT_MS
