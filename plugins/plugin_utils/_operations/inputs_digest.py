# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Digests of all inputs of a run, one for each part of the site."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible.release import __version__
from ansible.vars.manager import VariableManager

from . import site_parts

# Directories and files of the repository that determine what hosts get.
SOURCES = (
    *("roles", "playbooks", "plugins", "images", "monitoring", "spark", "client"),
    "declarations",
    *("watch", "dashboards", "versions.yml", "uv.lock"),
)
# Variables without influence on what hosts get: `omit` differs in every run. Tags are added once,
# sorted.
IGNORED = (
    *("omit", "ansible_check_mode", "ansible_diff_mode", "ansible_forks", "ansible_verbosity"),
    *("ansible_inventory_sources", "ansible_config_file"),
    *("ansible_run_tags", "ansible_skip_tags"),
    # Of the verb that applies one pipeline.
    "pipelines_name",
    # What a run compares, the lock that it breaks, and what it may remove.
    *("compare", "unlock"),
    *("kafka_content_confirm_delete", "kafka_content_confirm_removal", "pipeline_confirm_removal"),
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


def digests(
    hosts: Mapping[str, Mapping[str, Any]],
    tags: Any,
    repository: Path,
    further: Iterable[Path],
) -> dict[str, str]:
    """16 hex digits for each part of the site.

    ``hosts`` are the declared variables by host. Each digest is over a part's variables and the
    files that they name; that of REST is also over the sources of the ``repository`` and the run's
    ``tags``. STORE is over the files and directories ``further``.
    """
    found = {}
    for part, values in site_parts.split(hosts).items():
        whole = hashlib.sha256(_json(values))
        _add(whole, sorted(named_files(list(map(_without_inventory, values.values())), Path.cwd())))
        if part == site_parts.REST:
            whole.update(_json([__version__, tags]))
            _add(whole, [repository / name for name in SOURCES])
        found[part] = whole.hexdigest()[:16]
    return {**found, site_parts.STORE: files_digest(further)}


def files_digest(places: Iterable[Path]) -> str:
    """16 hex digits over the names and contents of files and directories."""
    whole = hashlib.sha256()
    _add(whole, places)
    return whole.hexdigest()[:16]


def _without_inventory(values: Mapping[str, Any]) -> dict[str, Any]:
    """Variables without the name of the inventory's file, whose content is all variables."""
    return {name: value for name, value in values.items() if name != "inventory_file"}


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, default=str).encode()


def _add(whole: Any, places: Iterable[Path]) -> None:
    """Add the names and contents of all files at or below ``places`` to a hash."""
    for place in places:
        for path in _files(place):
            whole.update(f"{path.relative_to(place.parent)}\0".encode())
            whole.update(hashlib.sha256(path.read_bytes()).digest())


def _files(place: Path) -> Iterator[Path]:
    """Files at or below ``place``, sorted; none if it does not exist."""
    if place.is_file():
        yield place
    else:
        found = (path for path in place.rglob("*") if "__pycache__" not in path.parts)
        yield from sorted(path for path in found if path.is_file())
