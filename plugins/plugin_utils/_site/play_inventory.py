# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Values of the inventory that callbacks read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError
from ansible.template import Templar

from . import state_directory


def play_cluster(play: Any) -> str | None:
    """The inventory's ``cluster_name``, or None if it is missing or a template."""
    manager = play.get_variable_manager()
    inventory = manager._inventory
    # Ignore the play's restrictions: a play on the control node has only that host.
    hosts = inventory.get_hosts(ignore_restrictions=True) if inventory else []
    sources: list[dict[str, Any]] = [{}, *({"host": host} for host in hosts[:1])]
    for source in sources:
        name = manager.get_vars(play=play, include_hostvars=False, **source).get("cluster_name")
        if isinstance(name, str) and name and "{{" not in name and "/" not in name:
            return str(name)
    return None


def play_state_directory(play: Any) -> Path | None:
    """The cluster's state directory, or None if the inventory has no valid cluster name."""
    manager = play.get_variable_manager()
    inventory = manager._inventory
    hosts = inventory.get_hosts(ignore_restrictions=True) if inventory else []
    source = {"host": hosts[0]} if hosts else {}
    variables = manager.get_vars(play=play, include_hostvars=False, **source)
    templar = Templar(loader=manager._loader, variables=variables)
    declared = [variables.get(name, "") for name in ("cluster_name", "kafka_metal_state")]
    try:
        cluster, place = (templar.template(each) for each in declared)
        return state_directory.directory(
            str(cluster), variables.get("ansible_inventory_sources") or [], place
        )
    except AnsibleError:
        # The run itself reports the error in the name or the directory.
        return None


def play_machine(play: Any) -> Callable[[str], str]:
    """Return a function that gives the machine of a host: ``metal_machine``, or the host itself."""
    manager = play.get_variable_manager()

    def machine(name: str) -> str:
        host = manager._inventory.get_host(name) if manager._inventory else None
        if host is None:
            return name
        variables = manager.get_vars(play=play, host=host, include_hostvars=False)
        found = variables.get("metal_machine")
        return str(found) if isinstance(found, str) and found and "{{" not in found else name

    return machine
