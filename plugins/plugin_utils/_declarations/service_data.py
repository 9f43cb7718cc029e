# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A service as data: its fingerprint, and the small differences between two engines' words."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

# What the engine allows in the name of a container: it is a part of paths, too.
NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]*")


def plain(value: Any) -> Any:
    """``value`` rebuilt of Python's own types.

    Ansible hands over its own kinds of text, list and mapping, some of which work out their
    content only when they are iterated; a serializer in C would pass that by.
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return str(value)
    return value


def service_hash(definition: Mapping[str, Any], files: Iterable[Any] = ()) -> str:
    """16 hex digits that change when the declaration or a configuration file of it changes.

    The order of keys does not count; the order of lists does. Of a file with ``static`` only that
    text counts: the rest of its content can change while the container runs.
    """
    content = {"definition": plain(definition), "files": [counted(file) for file in files]}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def counted(file: Any) -> Any:
    """A configuration file as far as a change of it needs a restart."""
    found = plain(file)
    if isinstance(found, dict) and "static" in found:
        found["content"] = found.pop("static")
    return found


def ulimit(item: Mapping[str, Any]) -> str:
    """A limit in the engine's words, ``name:soft:hard``.

    ``item`` is an entry of Compose's ``ulimits`` as key and value; the value is one number or a
    mapping with ``soft`` and ``hard``.
    """
    value = item["value"]
    if isinstance(value, Mapping):
        return f"{item['key']}:{value['soft']}:{value['hard']}"
    return f"{item['key']}:{value}:{value}"


def container_paths(name: str, config_root: str, log_root: str) -> dict[str, str]:
    """Paths of what a machine keeps of a container, without its data.

    Configuration, log, the state that was last applied (``left``) and the last declaration with
    which it was healthy (``good``).
    Raises ValueError for a name that the engine does not allow: it would be another path.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"found the name {name!r} of a container; allowed: letters, digits, '_.-'")
    return {
        "config": f"{config_root}/{name}",
        "log": f"{log_root}/{name}",
        "left": f"{config_root}/.as-left/{name}",
        "good": f"{config_root}/.last-good/{name}.json",
    }
