# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Topics and consumer groups of the platform's services, as the catalogue declares them."""

from __future__ import annotations

import re
from typing import Any

from .._catalogue import SERVICES
from . import kafka
from .instances import fill_all, fill_template, hosts
from .inventory import Inventory

# As many replicas as the platform's internal topics have: the loss of one broker is tolerated.
REPLICATION, MIN_INSYNC = 3, 2
# The probe writes and reads all the time, so its lag means nothing.
PROBE = "kafka-metal-probe"


def service_topics(inventory: Inventory) -> dict[str, dict[str, Any]]:
    """Topics of all services by name, as declared topics.

    Defaults of the site do not apply to them.
    """
    brokers = len(inventory.members(kafka.GROUP)) or REPLICATION
    copies = {
        "replication": min(REPLICATION, brokers),
        "min_insync": min(MIN_INSYNC, brokers),
    }
    return {
        name: {**copies, **declared}
        for service in SERVICES
        for host in hosts(inventory, service)[:1]
        for name, declared in fill_all(inventory, host, service.topics).items()
    }


def excluded_groups(inventory: Inventory) -> str:
    """Regular expression of consumer groups whose lag means nothing."""
    prefixes = [
        fill_template(inventory, host, prefix)
        for service in SERVICES
        for host in hosts(inventory, service)
        for prefix in service.consumer_groups
    ]
    return f"^({'|'.join([PROBE, *(f'{re.escape(each)}.*' for each in prefixes)])})$"
