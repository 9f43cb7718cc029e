# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The part of a machine's baseline that describes containers and their configuration.

Data directories are not read, because a disk may hang. Runs on the hosts, with Python 3.9 or later
and its standard library only.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import baseline_file, host_baseline


def changed_configuration(
    inspected: Sequence[Mapping[str, Any]], path: str
) -> list[tuple[str, str, str]]:
    """Return containers and their configuration files that changed since the last complete run.

    ``inspected`` are inspections of all containers of the cluster on this machine. Return kind (a
    key of KINDS), name and change of each. Data directories are not read, because a disk may hang.
    Empty without a baseline in the file ``path``.
    """
    baseline = baseline_file.read(path)
    if not baseline:
        return []
    # A container of some minutes, such as of the demonstration, is no change of the site.
    known = [each for each in inspected if host_baseline.name_of(each) in baseline["containers"]]
    now = configuration(known, path)
    mounted = _mounts_below(known, path)
    # Of a missing container, its configuration is no change as well.
    mounted_files = {
        name: state
        for name, state in baseline["files"].items()
        if any(name == mount or name.startswith(f"{mount}/") for mount in mounted)
    }
    return list(host_baseline.changes({**baseline, "files": mounted_files}, now))


def configuration(inspected: Iterable[Mapping[str, Any]], path: str) -> dict[str, Any]:
    """Return the part of ``machine_state`` that describes containers and their configuration."""
    every = list(inspected)
    root = os.path.dirname(os.path.dirname(path))
    files: dict[str, str] = {}
    for directory in _mounts_below(every, path):
        files.update(host_baseline.file_states(directory, root, {}))
    return {
        "containers": {
            host_baseline.name_of(each): host_baseline.container_state(each) for each in every
        },
        "origins": host_baseline.origins(every),
        "files": files,
    }


def _mounts_below(inspected: Iterable[Mapping[str, Any]], path: str) -> list[str]:
    """Return the mounted paths below the configuration directory, sorted."""
    root = os.path.dirname(os.path.dirname(path))
    mounts = {mount for each in inspected for mount in host_baseline.mounts(each)}
    return sorted(mount for mount in mounts if mount.startswith(f"{root}/"))
