"""A topic that was deleted and created again is read from its first record."""

import json
from collections.abc import Mapping

from kafka_metal_pipeline.plain_files import parsed
from kafka_metal_pipeline.storage import Shelf
from kafka_metal_pipeline.torn import COMMITS, OFFSETS, SOURCES, STATE, batches

# Where the first batch began, of the only source. Spark wants a zero byte before it.
BEGIN = f"{SOURCES}/0/0"


class RecreatedTopicError(RuntimeError):
    """A topic is not the one that a query's offsets are of."""


def begin_again(files: Shelf, location: str, topics: Mapping[str, int]) -> None:
    """Move the offsets of a settled checkpoint to the begin of topics.

    ``topics`` are the partitions of each by name. A batch that was planned and not made is given
    up: its records are gone with the old topic.
    """
    made = max(batches(files, f"{location}/{COMMITS}"), default=-1)
    for batch in reversed(batches(files, f"{location}/{OFFSETS}")):
        if batch > made:
            files.remove(f"{location}/{OFFSETS}/{batch}")
    if made < 0:
        files.remove(f"{location}/{STATE}")
    # Spark compares the newest batch with the one before, and would read what lies between.
    for file in (f"{OFFSETS}/{made}", f"{OFFSETS}/{made - 1}", BEGIN):
        text = files.read(f"{location}/{file}")
        if text:
            files.write(f"{location}/{file}", _moved(text, topics))


def refusal(
    names: list[str],
    noted: Mapping[str, str],
    ids: Mapping[str, str] | None,
    ends: dict[str, dict[str, int]],
) -> str:
    """Why a checkpoint with ids ``noted`` must not go on with ``ids``, and the ways to go on."""
    told = ", ".join(
        f"topic {name} (id {noted.get(name)} before, {(ids or {}).get(name)} now)" for name in names
    )
    return (
        f"has offsets of a topic that was deleted and created again: {told}. In the new topic they "
        f"would skip records. The old one was read up to {json.dumps(ends)}. To go on with the "
        "first record of the new topic declare source.on_data_loss: continue; to read from "
        "source.starting with a checkpoint of its own give the output another name. Then run "
        "`make up`."
    )


def _moved(text: str, topics: Mapping[str, int]) -> str:
    lines = text.split("\n")
    for at, line in enumerate(lines):
        try:
            found = parsed(line)
        except ValueError:
            continue
        if isinstance(found, dict) and set(topics) & set(found):
            for name, partitions in topics.items():
                if name in found:
                    found[name] = {str(partition): 0 for partition in range(partitions)}
            lines[at] = json.dumps(found, separators=(",", ":"))
    return "\n".join(lines)
