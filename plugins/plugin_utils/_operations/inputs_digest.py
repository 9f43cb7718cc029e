# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Everything that a run is made from, as one digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ansible.release import __version__
from ansible.vars.manager import VariableManager

# Of the repository: what decides on anything that a host gets. Tests and texts do not.
PARTS = (
    *("roles", "playbooks", "plugins", "images", "monitoring", "spark", "client"),
    "declarations",
    *("watch", "dashboards", "versions.yml", "uv.lock"),
)
# How a run goes and is shown, not what hosts get: `omit` has another value in every run. Tags count
# once, without their order.
HOW = (
    *("omit", "ansible_diff_mode", "ansible_forks", "ansible_verbosity"),
    *("ansible_inventory_sources", "ansible_config_file"),
    *("ansible_run_tags", "ansible_skip_tags"),
)


def written(hostvars: Any) -> dict[str, Any]:
    """Variables of every host as inventory and command line have them, before any task has run."""
    inventory = hostvars._inventory
    manager = VariableManager(loader=hostvars._loader, inventory=inventory)
    manager._extra_vars = hostvars._variable_manager.extra_vars
    found = {}
    for host in inventory.get_hosts(ignore_limits=True, ignore_restrictions=True):
        values = manager.get_vars(host=host, include_hostvars=False)
        found[host.name] = {k: v for k, v in values.items() if k not in HOW}
    return found


def named(told: Any, folder: Path) -> set[Path]:
    """Files of this machine that a value names, such as the sample that a schema is read from.

    ``folder`` is where a relative path starts.
    """
    if isinstance(told, dict):
        return {path for each in told.values() for path in named(each, folder)}
    if isinstance(told, list | tuple):
        return {path for each in told for path in named(each, folder)}
    if not isinstance(told, str) or not told or "\n" in told:
        return set()
    try:
        path = folder / Path(told).expanduser()
        return {path} if path.is_file() else set()
    except (OSError, RuntimeError, ValueError):
        # A text that is no path.
        return set()


def digest(told: Any, repository: Path, further: Iterable[Path]) -> str:
    """16 hex digits of ``told`` and the files it names, of the repository's parts, and of more."""
    whole = hashlib.sha256(json.dumps([__version__, told], sort_keys=True, default=str).encode())
    for place in [
        *(repository / part for part in PARTS),
        *sorted(named(told, Path.cwd())),
        *further,
    ]:
        for path in _files(place):
            whole.update(f"{path.relative_to(place.parent)}\0".encode())
            whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:16]


def _files(place: Path) -> Iterator[Path]:
    """Files at or below a place, in order; none when there is no such place."""
    if place.is_file():
        yield place
    else:
        found = (path for path in place.rglob("*") if "__pycache__" not in path.parts)
        yield from sorted(path for path in found if path.is_file())
