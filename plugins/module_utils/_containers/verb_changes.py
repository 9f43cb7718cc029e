# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Update of a machine's baseline by a verb that changes containers and their configuration.

What the verb changes is no manual change. What already differed from the baseline before the verb
still differs afterwards, unless the verb has changed it.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._host import container_list, engine_api
from . import baseline_file, configuration_changes, host_baseline


def begin(socket: str, cluster: str, path: str) -> None:
    """Save the state before the verb; nothing without an engine or a baseline in ``path``."""
    baseline_file.delete(_before(path))
    now = _configuration(socket, cluster, path) if baseline_file.read(path) else {}
    if now:
        baseline_file.write(_before(path), {"declared": {}, **now})


def end(socket: str, cluster: str, path: str) -> None:
    """Replace in the baseline what has changed since ``begin``.

    The digests of the declarations then no longer belong to the state: the next run compares all.
    """
    before, baseline = baseline_file.read(_before(path)), baseline_file.read(path)
    now = _configuration(socket, cluster, path) if before and baseline else {}
    replaced = [_replace(baseline, key, before.get(key) or {}, found) for key, found in now.items()]
    if any(replaced):
        baseline_file.write(path, {**baseline, "declared": {}})
    baseline_file.delete(_before(path))


def _replace(
    baseline: dict[str, Any], key: str, before: Mapping[str, Any], now: Mapping[str, Any]
) -> bool:
    """Replace what has changed between two states; return whether anything has.

    A baseline of an earlier release may lack the key.
    """
    entries = baseline.setdefault(key, {})
    changed = {
        name
        for name in {*before, *now}
        if now.get(name) not in (before.get(name), host_baseline.RESTARTS)
    }
    for name in changed:
        if name in now:
            entries[name] = now[name]
        else:
            entries.pop(name, None)
    return bool(changed)


def _configuration(socket: str, cluster: str, path: str) -> dict[str, Any]:
    """Return containers and their configuration; empty if the engine does not respond."""
    try:
        inspected = container_list.inspect_cluster_containers(socket, cluster)
    except engine_api.EngineError:
        return {}
    return configuration_changes.configuration(inspected, path)


def _before(path: str) -> str:
    """Return the file with the state before the verb."""
    return f"{path}.before"
