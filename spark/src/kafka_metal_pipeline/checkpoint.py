"""Whether a checkpoint still fits the declaration it was made for.

Spark looks at the offsets and the state, and says little or nothing when they belong to something
else. So each checkpoint keeps what it was made for, and is compared before its query starts.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from kafka_metal_pipeline.archive import SINK_LOG
from kafka_metal_pipeline.ddl import to_ddl
from kafka_metal_pipeline.model import Declaration, Output
from kafka_metal_pipeline.storage import Storage

PURPOSE = "kafka-metal.json"
BATCH = re.compile(r"(\d+)(\.compact)?")

# What each difference means, and whether only queries with state mind it.
DIFFERENCES = {
    "source": ("reads topic {new}, and has offsets of topic {old}", False),
    "archive": ("writes the archive {new}, and its rows so far are in {old}", False),
    "partition_by": ("partitions the archive by {new}, so far by {old}", False),
    "statement": ("has another statement than the one its state is of: {old}", True),
    "fields": ("has other fields than those its state is of: {old}", True),
    "watermark": ("has watermark column {new}, its state has {old}", True),
}
REMEDY = (
    "Give the output another name: it gets a checkpoint of its own and starts at source.starting. "
    "Or declare it again as it was."
)


class CheckpointError(RuntimeError):
    """A checkpoint that must not be used; the message says what to do instead."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A query's checkpoint: where it is, and what for."""

    location: str
    purpose: dict[str, Any]
    # Where the archive is, when the query writes one.
    archive: str | None

    def claim(self, storage: Storage, who: str) -> None:
        """Note the purpose in a new checkpoint; raise CheckpointError when an old one differs."""
        written = storage.read(f"{self.location}/{PURPOSE}")
        if written is not None:
            stateful = "state" in storage.names(self.location)
            if found := differences(json.loads(written), self.purpose, stateful):
                raise CheckpointError(
                    f"{who} no longer fits its checkpoint {self.location}: it "
                    f"{' and '.join(found)}. {REMEDY}"
                )
        self._check_archive(storage, who)
        storage.write(f"{self.location}/{PURPOSE}", json.dumps(self.purpose, indent=1))

    def _check_archive(self, storage: Storage, who: str) -> None:
        """A batch that the archive has already is skipped, so its number must not come again."""
        if self.archive is None:
            return
        archived = latest_batch(storage.names(f"{self.archive}/{SINK_LOG}"))
        planned = latest_batch(storage.names(f"{self.location}/offsets"))
        if archived > planned:
            raise CheckpointError(
                f"{who}: the archive {self.archive} holds batches up to {archived}, its checkpoint "
                f"{self.location} knows {planned + 1 or 'none'} of them: it was removed, or an "
                "older one put in its place. Spark would take the next batches for ones it has "
                "written, and lose them. Bring the checkpoint back, or move the archive away and "
                "give the output another path."
            )


def of_output(declaration: Declaration, name: str, output: Output | None) -> Checkpoint:
    """The checkpoint of an output, or of the invalid records when ``output`` is None."""
    site = declaration.site
    archive = output.path if output else None
    return Checkpoint(
        location=f"{site.checkpoint_root.rstrip('/')}/{declaration.name}/{name}",
        purpose={
            "source": declaration.source.topic,
            "archive": archive,
            "partition_by": ", ".join(output.partition_by) if output else "",
            "statement": " ".join(output.sql.split()) if output else "",
            "fields": to_ddl(declaration.source.fields),
            "watermark": output.watermark.column if output and output.watermark else None,
        },
        archive=f"{site.archive_root.rstrip('/')}/{archive}" if archive else None,
    )


def differences(old: dict[str, Any], new: dict[str, Any], stateful: bool) -> list[str]:
    """What a query would do otherwise than its checkpoint knows; empty when it may go on."""
    return [
        sentence.format(old=old.get(key), new=new[key])
        for key, (sentence, only_state) in DIFFERENCES.items()
        if old.get(key) != new[key] and (stateful or not only_state)
    ]


def latest_batch(names: list[str]) -> int:
    """Highest batch in a log of Spark, by its files' names; -1 when there is none."""
    matches = filter(None, map(BATCH.fullmatch, names))
    return max((int(match[1]) for match in matches), default=-1)
