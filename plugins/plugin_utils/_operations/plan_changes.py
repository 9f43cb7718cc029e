# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What single results of a run in check mode mean for an operator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils._common.container_labels import INSTANCE
from ...module_utils._common.diff import change, key_changes

# The label that changes whenever a declaration or a file does: it says that, not what.
FINGERPRINT = "kafka-metal.hash"
# Limits that the engine changes while a container runs.
LIMITS = {"memory", "memory_swap"}
# Keys of a container's diff that say whether it runs, not how.
STATES = ("exists", "running", "restarted", "paused")
RESTART, START, STOP, BUILD, OTHER = "restart", "start", "stop", "build", "other"


@dataclass(frozen=True)
class Change:
    """One message; ``subject`` is the container that starts, stops or restarts."""

    text: str
    kind: str = OTHER
    subject: str = ""


def env_of(value: Any) -> dict[str, str]:
    """Environment variables of a container: the engine lists them as ``NAME=value``."""
    if isinstance(value, Mapping):
        return {str(key): str(text) for key, text in value.items()}
    pairs = (str(item).partition("=") for item in value or ())
    return {name: text for name, _, text in pairs}


def container_reasons(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Keys of a container that differ, with their values where those are short."""
    reasons = []
    for key in sorted(after):
        old, new = before.get(key), after[key]
        if key == "image":
            # Ids of the engine, which say nothing to a reader.
            reasons.append(key)
        elif key == "env":
            reasons += key_changes(env_of(old), env_of(new))
        elif key == "labels":
            labels = (dict(old or {}), dict(new or {}))
            for each in labels:
                each.pop(FINGERPRINT, None)
            reasons += [f"label {each}" for each in key_changes(*labels)]
        elif isinstance(new, (str, int, float, bool)) and not isinstance(old, (list, Mapping)):
            reasons.append(change(key, old, new))
        else:
            reasons.append(key)
    return reasons


def instance_label(result: Mapping[str, Any]) -> str:
    """The label of a container that would be made, empty when none would."""
    for action in result.get("actions") or ():
        labels = (action.get("create_parameters") or {}).get("Labels") or {}
        if INSTANCE in labels:
            return str(labels[INSTANCE])
    return ""


def container_change(name: str, result: Mapping[str, Any], files: Iterable[str]) -> Change:
    """What happens to a container, and why; ``files`` are those of it that change."""
    difference = result.get("diff") or {}
    before, after = difference.get("before") or {}, difference.get("after") or {}
    if after.get("exists") is False or after.get("running") is False:
        return Change(f"container {name} stops", STOP, name)
    if before.get("exists") is False:
        return Change(f"container {name} is made and starts", START, name)
    after = {key: value for key, value in after.items() if key not in STATES}
    reasons = container_reasons(before, after) + list(files)
    if before.get("running") is False:
        why = f" ({', '.join(reasons)})" if reasons else ""
        return Change(f"container {name} starts: it does not run{why}", START, name)
    if after and set(after) <= LIMITS and not files:
        return Change(f"container {name} gets its limits back: {', '.join(reasons)}", OTHER, name)
    why = ", ".join(reasons) or "its declaration differs"
    return Change(f"container {name} restarts: {why}", RESTART, name)


def predicted_change(found: Mapping[str, Any], fallback: str) -> Change:
    """What happens to a container whose image has yet to be built or delivered."""
    name = str(found.get("name") or fallback)
    runs = ((found.get("container") or {}).get("State") or {}).get("Running")
    if runs:
        return Change(f"container {name} restarts: image", RESTART, name)
    return Change(f"container {name} is made and starts", START, name)


def messages_of_debug(result: Mapping[str, Any]) -> list[str]:
    """The message of a debug task, a sentence or a list of them."""
    message = result.get("msg", [])
    return [str(line) for line in (message if isinstance(message, (list, tuple)) else [message])]


def changed_items(result: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Changed results of a task, those of a loop one by one with the label of their item."""
    if not result.get("changed"):
        return
    if "results" not in result:
        yield result, ""
        return
    for item in result["results"]:
        if isinstance(item, Mapping) and item.get("changed"):
            hidden = item.get("_ansible_no_log") or "censored" in item
            yield item, "" if hidden else str(item.get("_ansible_item_label", item.get("item", "")))
