# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Labels of our containers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CLUSTER = "kafka-metal.cluster"
# The kind of service that it runs, and the name of the service.
SERVICE = "kafka-metal.service"
INSTANCE = "kafka-metal.instance"


def listed(container: Mapping[str, Any], label: str) -> str:
    """A label of a container in the engine's list; empty for none."""
    return str((container.get("Labels") or {}).get(label, ""))


def inspected(container: Mapping[str, Any], label: str) -> str:
    """A label of a container in the engine's answer about it alone; empty for none."""
    return listed(container.get("Config") or {}, label)
