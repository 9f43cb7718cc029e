# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""One digest of all inputs of a run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ansible.release import __version__
from ansible.vars.manager import VariableManager

# Parts of the repository that determine what hosts get.
PARTS = (
    *("roles", "playbooks", "plugins", "images", "monitoring", "spark", "client"),
    "declarations",
    *("watch", "dashboards", "versions.yml", "uv.lock"),
)
# Variables without influence on what hosts get: `omit` differs in every run. Tags are added once,
# sorted.
IGNORED = (
    *("omit", "ansible_diff_mode", "ansible_forks", "ansible_verbosity"),
    *("ansible_inventory_sources", "ansible_config_file"),
    *("ansible_run_tags", "ansible_skip_tags"),
)


def declared_variables(hostvars: Any) -> dict[str, Any]:
    """Variables of every host from inventory and command line, without facts of tasks."""
    inventory = hostvars._inventory
    manager = VariableManager(loader=hostvars._loader, inventory=inventory)
    manager._extra_vars = hostvars._variable_manager.extra_vars
    found = {}
    for host in inventory.get_hosts(ignore_limits=True, ignore_restrictions=True):
        values = manager.get_vars(host=host, include_hostvars=False)
        found[host.name] = {k: v for k, v in values.items() if k not in IGNORED}
    return found


def named_files(value: Any, folder: Path) -> set[Path]:
    """Local files that a value names, such as the sample that a schema is inferred from.

    Relative paths start at ``folder``.
    """
    if isinstance(value, dict):
        return {path for each in value.values() for path in named_files(each, folder)}
    if isinstance(value, list | tuple):
        return {path for each in value for path in named_files(each, folder)}
    if not isinstance(value, str) or not value or "\n" in value:
        return set()
    try:
        path = folder / Path(value).expanduser()
        return {path} if path.is_file() else set()
    except (OSError, RuntimeError, ValueError):
        # A text that is not a path.
        return set()


def digest(value: Any, repository: Path, further: Iterable[Path]) -> str:
    """16 hex digits over ``value``, the files it names, the repository's parts and ``further``."""
    whole = hashlib.sha256(json.dumps([__version__, value], sort_keys=True, default=str).encode())
    for place in [
        *(repository / part for part in PARTS),
        *sorted(named_files(value, Path.cwd())),
        *further,
    ]:
        for path in _files(place):
            whole.update(f"{path.relative_to(place.parent)}\0".encode())
            whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:16]


def _files(place: Path) -> Iterator[Path]:
    """Files at or below ``place``, sorted; none if it does not exist."""
    if place.is_file():
        yield place
    else:
        found = (path for path in place.rglob("*") if "__pycache__" not in path.parts)
        yield from sorted(path for path in found if path.is_file())
