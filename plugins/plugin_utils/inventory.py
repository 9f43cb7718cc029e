# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What callbacks ask of an inventory."""

from __future__ import annotations

from typing import Any


def cluster_of(play: Any) -> str | None:
    """The inventory's ``cluster_name`` as plain text, or None when there is none."""
    manager = play.get_variable_manager()
    inventory = manager._inventory
    # Restrictions are those of the play: a play on the control node sees only itself.
    hosts = inventory.get_hosts(ignore_restrictions=True) if inventory else []
    for source in [{}] + [{"host": host} for host in hosts[:1]]:
        name = manager.get_vars(play=play, include_hostvars=False, **source).get("cluster_name")
        if isinstance(name, str) and name and "{{" not in name and "/" not in name:
            return str(name)
    return None
