# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Changes that the results of single tasks in check mode predict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils._common.container_labels import INSTANCE
from ...module_utils._common.diff import format_change, key_changes

# This label changes with every declaration or file; it does not show which one changed.
FINGERPRINT = "kafka-metal.hash"
# Limits that the engine can change without a restart.
LIMITS = {"memory", "memory_swap"}
# Keys of a container's diff for its state, not for its configuration.
STATES = ("exists", "running", "restarted", "paused")
RESTART, START, STOP, BUILD, OTHER = "restart", "start", "stop", "build", "other"


@dataclass(frozen=True)
class Change:
    """One message; ``subject`` is the container that starts, stops or restarts.

    ``named``: the message is the name of a task, which Ansible renders for its first host only.
    """

    text: str
    kind: str = OTHER
    subject: str = ""
    named: bool = False


def parse_environment(value: Any) -> dict[str, str]:
    """Environment variables of a container: the engine lists them as ``NAME=value``."""
    if isinstance(value, Mapping):
        return {str(key): str(text) for key, text in value.items()}
    pairs = (str(item).partition("=") for item in value or ())
    return {name: text for name, _, text in pairs}


def container_reasons(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the keys of a container that differ, with short values."""
    reasons = []
    for key in sorted(after):
        old, new = before.get(key), after[key]
        if key == "image":
            # The values are ids, which do not help the reader.
            reasons.append(key)
        elif key == "env":
            reasons += key_changes(parse_environment(old), parse_environment(new))
        elif key == "labels":
            labels = (dict(old or {}), dict(new or {}))
            for each in labels:
                each.pop(FINGERPRINT, None)
            reasons += [f"label {each}" for each in key_changes(*labels)]
        elif isinstance(new, (str, int, float, bool)) and not isinstance(old, (list, Mapping)):
            reasons.append(format_change(key, old, new))
        else:
            reasons.append(key)
    return reasons


def instance_label(result: Mapping[str, Any]) -> str:
    """Return the instance label of a container to be created; empty if there is none."""
    for action in result.get("actions") or ():
        labels = (action.get("create_parameters") or {}).get("Labels") or {}
        if INSTANCE in labels:
            return str(labels[INSTANCE])
    return ""


def container_change(name: str, result: Mapping[str, Any], files: Iterable[str]) -> Change:
    """Return the change of a container with its reasons; ``files`` are its changed files."""
    difference = result.get("diff") or {}
    before, after = difference.get("before") or {}, difference.get("after") or {}
    if after.get("exists") is False or after.get("running") is False:
        return Change(f"container {name} stops", STOP, name)
    if before.get("exists") is False:
        return Change(f"container {name} is created and starts", START, name)
    after = {key: value for key, value in after.items() if key not in STATES}
    reasons = container_reasons(before, after) + list(files)
    if before.get("running") is False:
        why = f" ({', '.join(reasons)})" if reasons else ""
        return Change(f"container {name} starts: it is not running{why}", START, name)
    if after and set(after) <= LIMITS and not files:
        return Change(f"container {name}: limits are restored: {', '.join(reasons)}", OTHER, name)
    why = ", ".join(reasons) or "its declaration differs"
    return Change(f"container {name} restarts: {why}", RESTART, name)


def predicted_change(found: Mapping[str, Any], fallback: str) -> Change:
    """Return the change of a container whose image is not built or delivered yet."""
    name = str(found.get("name") or fallback)
    runs = ((found.get("container") or {}).get("State") or {}).get("Running")
    if runs:
        return Change(f"container {name} restarts: image", RESTART, name)
    return Change(f"container {name} is created and starts", START, name)


def debug_messages(result: Mapping[str, Any]) -> list[str]:
    """Return the messages of a debug task, which prints one text or a list."""
    message = result.get("msg", [])
    return [str(line) for line in (message if isinstance(message, (list, tuple)) else [message])]


def changed_items(result: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield changed results of a task; results of a loop singly, with the label of their item."""
    if not result.get("changed"):
        return
    if "results" not in result:
        yield result, ""
        return
    for item in result["results"]:
        if isinstance(item, Mapping) and item.get("changed"):
            hidden = item.get("_ansible_no_log") or "censored" in item
            yield item, "" if hidden else str(item.get("_ansible_item_label", item.get("item", "")))
