# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Problems of containers and configuration that changed since the last complete run.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from .._problems.messages import shorten_list
from .._problems.platform_problem import Problem
from . import baseline_file, configuration_changes, host_baseline
from .undeclared_containers import Declared, is_declared, split_by_declaration

# Files that a message names.
NAMED = 3


def manual_changes(
    inspected: Sequence[Mapping[str, Any]],
    cluster: str,
    baseline: str,
    machine: str,
    declared: Declared,
) -> list[Problem]:
    """Return a problem for each missing container, and a note for each changed configuration.

    ``inspected`` are all containers of the cluster on this machine, ``baseline`` is the file that
    the last complete run wrote, and to which verbs have added their changes. Containers that are
    not ``declared`` have no problem.
    """
    _, undeclared = split_by_declaration(inspected, declared)
    others = {host_baseline.name_of(each) for each in undeclared}
    origins = baseline_file.read(baseline).get("origins", {})
    found: list[Problem] = []
    changed: dict[str, list[str]] = {}
    for kind, name, change in configuration_changes.changed_configuration(inspected, baseline):
        folder, entry = os.path.split(name)
        if name in others or os.path.basename(folder) in others:
            continue
        if kind == "files":
            changed.setdefault(instance(folder, cluster), []).append(f"{entry} {change}")
        elif change == host_baseline.GONE:
            where = instance(name, cluster)
            if not is_declared(origins.get(name, {}).get("kind", ""), where, declared):
                continue
            text = f"{where} has no container on {machine}"
            found.append(Problem("ContainerMissing", where, text, "make up"))
        elif change == host_baseline.CHANGED:
            changed.setdefault(instance(name, cluster), []).append("its container has changed")
    for where, changes in changed.items():
        text = f"{where} on {machine} differs from the last complete run: "
        text += shorten_list(changes, NAMED)
        found.append(Problem("ConfigurationChanged", where, text, "make plan"))
    return found


def instance(name: str, cluster: str) -> str:
    """Return the instance in the name of a container or of its configuration directory."""
    return os.path.basename(name).removeprefix(f"{cluster}-")
