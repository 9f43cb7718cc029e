# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Data of a service's container: its digest, its limits in Docker's form, its paths."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

# Container names that the engine allows; they are also parts of paths.
NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]*")


def to_builtin(value: Any) -> Any:
    """Convert ``value`` to Python's built-in types.

    Ansible passes its own subclasses of str, list and mapping. Some compute their content only on
    iteration, which serializers in C bypass.
    """
    if isinstance(value, Mapping):
        return {str(key): to_builtin(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_builtin(item) for item in value]
    if isinstance(value, str):
        return str(value)
    return value


def service_hash(definition: Mapping[str, Any], files: Iterable[Any] = ()) -> str:
    """16 hex digits that change with the declaration or its configuration files.

    The order of keys does not matter; the order of lists does. For a file with ``static`` only that
    text counts: the rest of its content can change while the container runs.
    """
    content = {
        "definition": to_builtin(definition),
        "files": [restart_relevant_part(file) for file in files],
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def declared_container(
    defaults: Mapping[str, Any],
    definition: Mapping[str, Any],
    mounts: Iterable[Any] = (),
    limits_swap: bool = False,
) -> dict[str, Any]:
    """A service's ``definition`` of its container with the ``defaults`` of every container.

    ``mounts`` are added; ``limits_swap``: a container with a memory limit may not swap.
    """
    # Ansible's filter combine would render both dictionaries several times.
    found: dict[str, Any] = _merged(to_builtin(defaults), to_builtin(definition))
    found["volumes"] = [*found.get("volumes", []), *to_builtin(list(mounts))]
    if limits_swap and found.get("mem_limit"):
        found["memswap_limit"] = found["mem_limit"]
    return found


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Both dictionaries, nested ones merged; a value of ``above`` wins."""
    found = {**below, **above}
    for key in below.keys() & above.keys():
        if isinstance(below[key], dict) and isinstance(above[key], dict):
            found[key] = _merged(below[key], above[key])
    return found


def labelled_container(
    declared: Mapping[str, Any],
    labels: Mapping[str, str],
    files: Iterable[Any] = (),
    mounts: Iterable[Any] = (),
) -> dict[str, Any]:
    """The declaration of a container with ``labels``, its digest as a label, and further mounts.

    A changed declaration or file changes the digest, so that a stale container is recognised.
    """
    found: dict[str, Any] = to_builtin(declared)
    hashed = {"kafka-metal.hash": service_hash(found, files)}
    all_labels = {**found.get("labels", {}), **to_builtin(labels), **hashed}
    volumes = [*found.get("volumes", []), *to_builtin(list(mounts))]
    return {**found, "labels": all_labels, "volumes": volumes}


def restart_relevant_part(file: Any) -> Any:
    """The part of a configuration file whose change requires a restart."""
    found = to_builtin(file)
    if isinstance(found, dict) and "static" in found:
        found["content"] = found.pop("static")
    return found


def format_ulimit(item: Mapping[str, Any]) -> str:
    """A limit in Docker's form, ``name:soft:hard``.

    ``item`` is an entry of Compose's ``ulimits`` as key and value; the value is one number or a
    mapping with ``soft`` and ``hard``.
    """
    value = item["value"]
    if isinstance(value, Mapping):
        return f"{item['key']}:{value['soft']}:{value['hard']}"
    return f"{item['key']}:{value}:{value}"


def container_paths(name: str, config_root: str, log_root: str) -> dict[str, str]:
    """Paths of a container's files on a machine, without its data.

    Configuration, log, the last applied state (``last_applied``), and the last declaration with
    which the container was healthy (``last_good``). Raises ValueError for a name that the engine
    does not allow.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"found the container name {name!r}; allowed: letters, digits, '_.-'")
    return {
        "config": f"{config_root}/{name}",
        "log": f"{log_root}/{name}",
        "last_applied": f"{config_root}/.as-left/{name}",
        "last_good": f"{config_root}/.last-good/{name}.json",
    }
