"""Differences between a query and its checkpoint's purpose, with messages and remedies."""

import json
from typing import Any

# Message per difference, and whether it matters only for queries with state.
DIFFERENCES = {
    "source": ("reads topic {new}, but has offsets of topic {old}", False),
    "archive": ("writes the archive {new}, but its rows so far are in {old}", False),
    "partition_by": ("partitions the archive by {new}, so far by {old}", False),
    "table": ("writes table {new}, but its rows so far are in {old}", False),
    "keys": ("has key {new}, but the table's rows so far have {old}", False),
    "delivery": ("has delivery {new}, so far {old}", False),
    "statement": ("has another statement than its state: {old}", True),
    "fields": ("has other fields than its state: {old}", True),
    "watermark": ("has watermark column {new}, but its state has {old}", True),
}
# Values of keys that older checkpoints did not store.
DEFAULTS = {"table": None, "keys": "", "delivery": "at_least_once"}
REMEDY = "Restore the old declaration, or give the output another name: it gets a new checkpoint."


def differences(old: dict[str, Any], new: dict[str, Any], stateful: bool) -> list[str]:
    """Return a query's differences from its checkpoint; empty if it may continue."""
    old = DEFAULTS | old
    return [
        message.format(old=old.get(key), new=new[key])
        for key, (message, only_state) in DIFFERENCES.items()
        if old.get(key) != new[key] and (stateful or not only_state)
    ]


def remedy(purpose: dict[str, Any], ends: dict[str, dict[str, int]]) -> str:
    """Return instructions for a declaration that does not match its checkpoint."""
    if not ends or set(ends) - set(str(purpose["source"]).split(", ")):
        return REMEDY
    return (
        f"{REMEDY} With starting: {json.dumps(ends)} it continues where this one ended; without, "
        "it starts at source.starting. Records that the topic no longer has may be in an archive: "
        "use: replay."
    )
