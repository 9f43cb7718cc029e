"""What a query would do otherwise than its checkpoint was made for, and how to go on then."""

import json
from typing import Any

# What each difference means, and whether only queries with state mind it.
DIFFERENCES = {
    "source": ("reads topic {new}, and has offsets of topic {old}", False),
    "archive": ("writes the archive {new}, and its rows so far are in {old}", False),
    "partition_by": ("partitions the archive by {new}, so far by {old}", False),
    "table": ("fills table {new}, and its rows so far are in {old}", False),
    "keys": ("has key {new}, and the table's rows so far have {old}", False),
    "delivery": ("is delivered {new}, so far {old}", False),
    "statement": ("has another statement than the one its state is of: {old}", True),
    "fields": ("has other fields than those its state is of: {old}", True),
    "watermark": ("has watermark column {new}, its state has {old}", True),
}
# Keys that older checkpoints did not keep, and what they stood for.
UNSAID = {"table": None, "keys": "", "delivery": "at_least_once"}
REMEDY = (
    "Declare it again as it was, or give the output another name: it gets a checkpoint of its own."
)


def differences(old: dict[str, Any], new: dict[str, Any], stateful: bool) -> list[str]:
    """What a query would do otherwise than its checkpoint knows; empty when it may go on."""
    old = UNSAID | old
    return [
        sentence.format(old=old.get(key), new=new[key])
        for key, (sentence, only_state) in DIFFERENCES.items()
        if old.get(key) != new[key] and (stateful or not only_state)
    ]


def remedy(purpose: dict[str, Any], ends: dict[str, dict[str, int]]) -> str:
    """How to go on with a declaration that no longer fits."""
    if not ends or set(ends) - set(str(purpose["source"]).split(", ")):
        return REMEDY
    return (
        f"{REMEDY} With starting: {json.dumps(ends)} it goes on where this one ended; without, "
        "it reads again from source.starting. What the topic has no more is in an archive, if "
        "there is one: use: replay."
    )
