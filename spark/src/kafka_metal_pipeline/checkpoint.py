"""Whether a checkpoint still fits the declaration it was made for.

Spark looks at the offsets and the state, and says little or nothing when they belong to something
else. So each checkpoint keeps what it was made for, and is compared before its query starts.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from kafka_metal_pipeline.archive import MARK, foreign
from kafka_metal_pipeline.ddl import to_ddl
from kafka_metal_pipeline.marks import LostCheckpointError, Mark, ends_of, restored
from kafka_metal_pipeline.model import Declaration, Output
from kafka_metal_pipeline.storage import Files, Shelf

PURPOSE = "kafka-metal.json"
# Logs of Spark: batches that were planned, each with its offsets, and batches that were made.
OFFSETS, COMMITS = "offsets", "commits"
STATE = "state"
BATCH = re.compile(r"(\d+)(\.compact)?")
NEW, VALID, INVALID = "new", "valid", "invalid"

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


class CheckpointError(RuntimeError):
    """A checkpoint that must not be used; the message says what to do instead."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a query does with its checkpoint: ``new``, ``valid`` or ``invalid``, and why."""

    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A query's checkpoint: where it is, and what for."""

    location: str
    purpose: dict[str, Any]
    # Where the archive is, when the query writes one.
    archive: str | None

    def verdict(self, files: Files) -> Verdict:
        """Whether the query can go on from here; changes nothing."""
        written = files.read(f"{self.location}/{PURPOSE}")
        ends = self.ends(files)
        if written is not None:
            stateful = STATE in files.names(self.location)
            if found := differences(json.loads(written), self.purpose, stateful):
                return Verdict(
                    INVALID,
                    f"no longer fits its checkpoint {self.location}: it "
                    f"{' and '.join(found)}. {remedy(self.purpose, ends)}",
                )
        if why := self._archive_fault(files) or self._gap(files):
            return Verdict(INVALID, why)
        if not ends and self.planned(files) < 0:
            return Verdict(NEW, "has no checkpoint: it starts at source.starting, or its own")
        return Verdict(VALID, f"goes on after {json.dumps(ends) if ends else 'its last batch'}")

    def claim(self, files: Files, who: str) -> None:
        """Note the purpose; raise CheckpointError when the checkpoint is one of another."""
        self.check(files, who)
        files.write(f"{self.location}/{PURPOSE}", json.dumps(self.purpose, indent=1))

    def check(self, files: Files, who: str) -> Verdict:
        """As ``verdict``; raises CheckpointError when it is invalid."""
        verdict = self.verdict(files)
        if verdict.state == INVALID:
            raise CheckpointError(f"{who} {verdict.reason}")
        return verdict

    def sweep(self, files: Shelf) -> list[str]:
        """Remove the newest file of a log where it is empty, as a machine without power may leave
        it: Spark refuses to start from it. Those that are gone."""
        empty = [
            f"{log}/{batch}"
            for log in (OFFSETS, COMMITS)
            if (batch := latest_batch(files.names(f"{self.location}/{log}"))) >= 0
            and not (files.read(f"{self.location}/{log}/{batch}") or "").strip()
        ]
        for file in empty:
            files.remove(f"{self.location}/{file}")
        return empty

    def mend(self, files: Shelf, who: str) -> int | None:
        """Take back that the newest batch was made where its offsets are lost; its number.

        Spark would make it again, and die of its own note that it did, at every start anew. Where
        the target remembers the offsets they have been written back before, see ``marks``; else
        the batch comes again. Raises CheckpointError where more is lost.
        """
        if why := self._gap(files):
            raise CheckpointError(f"{who} {why}")
        made, planned = self.made(files), self.planned(files)
        if made <= planned:
            return None
        if planned < 0:
            # Of the first batch alone; Spark takes no other's state for it.
            files.remove(f"{self.location}/{STATE}")
        files.remove(f"{self.location}/{COMMITS}/{made}")
        return made

    def planned(self, files: Files) -> int:
        """The newest batch that was planned; -1 when none was."""
        return latest_batch(files.names(f"{self.location}/{OFFSETS}"))

    def made(self, files: Files) -> int:
        """The newest batch that was made; -1 when none was."""
        return latest_batch(files.names(f"{self.location}/{COMMITS}"))

    def ends(self, files: Files) -> dict[str, dict[str, int]]:
        """Where the newest batch that was made ended, by topic and partition; {} when unknown."""
        done = self.made(files)
        return ends_of(files.read(f"{self.location}/{OFFSETS}/{done}") or "") if done >= 0 else {}

    def _gap(self, files: Files) -> str | None:
        """Why nobody knows where batches that were made had ended; the newest alone comes again."""
        made, planned = self.made(files), self.planned(files)
        # Where the first batch began is a file of its own.
        begun = planned >= 0 or files.names(f"{self.location}/sources/0")
        if made <= (planned + 1 if begun else planned):
            return None
        return (
            f"has made batches up to {made}, and of its checkpoint {self.location} the offsets "
            f"{f'after batch {planned}' if planned >= 0 else 'of all batches'} are lost. Bring the "
            "files of its folder offsets back, or give the output another name: it gets a "
            "checkpoint of its own, and begins at source.starting or its own."
        )

    def _archive_fault(self, files: Files) -> str | None:
        """Why the archive is not this checkpoint's; its mark outlives a checkpoint."""
        if self.archive is None:
            return None
        if why := foreign(files.names(self.archive)):
            return (
                f"writes the archive {self.archive}, and {why}. Give it another path, or move "
                "what is there away."
            )
        written = files.read(f"{self.archive}/{MARK}")
        metadata = files.read(f"{self.location}/metadata")
        try:
            restored(
                Mark.from_text(written) if written else None,
                str(json.loads(metadata)["id"]) if metadata else None,
                self.planned(files),
                f"writes the archive {self.archive}",
            )
        except LostCheckpointError as error:
            return str(error)
        return None


def of_output(declaration: Declaration, name: str, output: Output | None) -> Checkpoint:
    """The checkpoint of an output, or of the invalid records when ``output`` is None."""
    site = declaration.site
    archive = output.path if output else None
    return Checkpoint(
        location=f"{site.checkpoint_root.rstrip('/')}/{declaration.name}/{name}",
        purpose={
            "source": declaration.source.name,
            "archive": archive,
            "partition_by": ", ".join(output.partition_by) if output else "",
            "table": f"{output.database}.{output.table}" if output and output.table else None,
            "keys": ", ".join(output.keys) if output else "",
            "delivery": output.delivery if output else UNSAID["delivery"],
            "statement": " ".join(output.sql.split()) if output else "",
            "fields": to_ddl(declaration.source.fields),
            "watermark": output.watermark.column if output and output.watermark else None,
        },
        archive=f"{site.archive_root.rstrip('/')}/{archive}" if archive else None,
    )


def all_of(declaration: Declaration) -> dict[str, Checkpoint]:
    """The checkpoints of a pipeline by output, that of the invalid records last."""
    found = {each.name: of_output(declaration, each.name, each) for each in declaration.outputs}
    if declaration.invalid:
        # The name that no output can have: see declared_outputs.
        found[INVALID] = of_output(declaration, INVALID, None)
    return found


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


def latest_batch(names: list[str]) -> int:
    """Highest batch in a log of Spark, by its files' names; -1 when there is none."""
    matches = filter(None, map(BATCH.fullmatch, names))
    return max((int(match[1]) for match in matches), default=-1)
