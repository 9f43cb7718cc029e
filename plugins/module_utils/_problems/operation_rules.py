# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The metrics of an operation, and when it counts as interrupted; no I/O."""

from __future__ import annotations

# Metrics that a run writes: its last activity, and until when alerts are silenced.
ACTIVE = "kafka_metal_operation_active_time_seconds"
UNTIL = "kafka_metal_maintenance_until_time_seconds"
# Name of a silence of all alerts, while the whole cluster starts.
EVERYTHING = "all services"
# Seconds without activity after which an operation of another control node may be dead. A run is
# active at every step; the longest steps are slow stops of brokers and builds of images.
INACTIVE_S = 1800
