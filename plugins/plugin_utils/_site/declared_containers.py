# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Containers that the inventory has on each machine, without those of a single task."""

from __future__ import annotations

from .._security.service_accounts import PIPELINE
from . import instances, machines, site_users
from .inventory import Inventory


def on_machine(inventory: Inventory, host: str) -> list[str]:
    """Names of the instances on a host's machine, and of all pipelines, which may run anywhere."""
    own = machines.machine(inventory, host)
    return [
        *(each["instance"] for each in instances.places(inventory) if each["machine"] == own),
        *(f"{PIPELINE}{name}" for name in site_users.pipeline_names(inventory)),
    ]
