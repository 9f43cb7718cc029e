"""Deleted and recreated topics: their checkpoints are reset to the first record."""

import json
from collections.abc import Mapping

from kafka_metal_pipeline.checkpoint_files import COMMITS, OFFSETS, SOURCES, STATE, batches
from kafka_metal_pipeline.plain_files import parse_json
from kafka_metal_pipeline.storage import FileStore

# Start offsets of the first batch of the only source; Spark requires a zero byte before them.
BEGIN = f"{SOURCES}/0/0"


class RecreatedTopicError(RuntimeError):
    """A topic has been recreated since a query's offsets were stored."""


def reset_offsets(files: FileStore, location: str, topics: Mapping[str, int]) -> None:
    """Set the offsets of a consistent checkpoint to the start of topics.

    ``topics`` are their numbers of partitions by name. A planned, uncommitted batch is dropped:
    its records were deleted with the old topic.
    """
    committed = max(batches(files, f"{location}/{COMMITS}"), default=-1)
    for batch in reversed(batches(files, f"{location}/{OFFSETS}")):
        if batch > committed:
            files.remove(f"{location}/{OFFSETS}/{batch}")
    if committed < 0:
        files.remove(f"{location}/{STATE}")
    # Spark compares the newest batch with the one before, and would read the range between them.
    for file in (f"{OFFSETS}/{committed}", f"{OFFSETS}/{committed - 1}", BEGIN):
        text = files.read(f"{location}/{file}")
        if text:
            files.write(f"{location}/{file}", _with_zero_offsets(text, topics))


def refusal(
    names: list[str],
    stored_ids: Mapping[str, str],
    ids: Mapping[str, str] | None,
    ends: dict[str, dict[str, int]],
) -> str:
    """Return why a checkpoint with topic ids ``stored_ids`` must not continue with ``ids``."""
    changed = ", ".join(
        f"topic {name} (id {stored_ids.get(name)} before, {(ids or {}).get(name)} now)"
        for name in names
    )
    return (
        f"has offsets of a topic that was deleted and created again: {changed}. In the new topic "
        f"they would skip records. The old one was read up to {json.dumps(ends)}. To continue at "
        "the first record of the new topic declare source.on_data_loss: continue; to read from "
        "source.starting with a new checkpoint give the output another name. Then run `make up`."
    )


def _with_zero_offsets(text: str, topics: Mapping[str, int]) -> str:
    lines = text.split("\n")
    for at, line in enumerate(lines):
        try:
            found = parse_json(line)
        except ValueError:
            continue
        if isinstance(found, dict) and set(topics) & set(found):
            for name, partitions in topics.items():
                if name in found:
                    found[name] = {str(partition): 0 for partition in range(partitions)}
            lines[at] = json.dumps(found, separators=(",", ":"))
    return "\n".join(lines)
