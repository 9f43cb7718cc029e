# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Labels of the cluster's containers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CLUSTER = "kafka-metal.cluster"
# Kind of the service that the container runs, and name of the instance.
SERVICE = "kafka-metal.service"
INSTANCE = "kafka-metal.instance"


def label_from_list(container: Mapping[str, Any], label: str) -> str:
    """Return a label of a container from the engine's list; empty if it is not set."""
    return str((container.get("Labels") or {}).get(label, ""))


def label_from_inspection(container: Mapping[str, Any], label: str) -> str:
    """Return a label of a container from its inspection; empty if it is not set."""
    return label_from_list(container.get("Config") or {}, label)
