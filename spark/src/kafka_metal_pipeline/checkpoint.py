"""Validation of a checkpoint against the declaration that it was created for.

Spark reuses offsets and state with little or no check that they belong to the query. So each
checkpoint stores its purpose, which is compared before the query starts.
"""

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kafka_metal_declarations.ddl import to_ddl
from kafka_metal_declarations.model import Declaration, Output

from kafka_metal_pipeline.archive import MARK, foreign_content
from kafka_metal_pipeline.checkpoint_files import COMMITS, METADATA, OFFSETS, STATE, CheckpointError
from kafka_metal_pipeline.checkpoint_purpose import DEFAULTS, differences, remedy
from kafka_metal_pipeline.marks import LostCheckpointError, Mark, end_offsets, mark_to_restore
from kafka_metal_pipeline.plain_files import parse_json
from kafka_metal_pipeline.recreated import refusal
from kafka_metal_pipeline.storage import Files

PURPOSE = "kafka-metal.json"
# Keys in the purpose: the source's topic ids by name, and the query id.
TOPICS, ID = "topics", "id"
# A second copy, because a crash may truncate the newest file.
COPY = "kafka-metal.copy.json"
BATCH = re.compile(r"([0-9]+)(\.compact)?")
NEW, VALID, INVALID = "new", "valid", "invalid"


@dataclass(frozen=True, slots=True)
class Result:
    """State of a query's checkpoint, ``new``, ``valid`` or ``invalid``, and the reason."""

    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A query's checkpoint: its location and its purpose."""

    location: str
    purpose: dict[str, Any]
    # Location of the archive if the query writes one.
    archive: str | None
    # Whether records that retention deleted are skipped; otherwise they fail the query.
    passes_over_loss: bool = False

    def result(self, files: Files, ids: Mapping[str, str] | None = None) -> Result:
        """Return whether the query can continue from this checkpoint; changes nothing.

        ``ids`` are the current ids of the source's topics; None if they were not queried.
        """
        written = self.stored_purpose(files)
        ends = self.ends(files)
        if found := self.changes(files):
            return Result(
                INVALID,
                f"no longer fits its checkpoint {self.location}: it "
                f"{' and '.join(found)}. {remedy(self.purpose, ends)}",
            )
        if why := self._archive_fault(files) or self._gap(files):
            return Result(INVALID, why)
        if not ends and self.planned(files) < 0:
            return Result(NEW, "has no checkpoint: it starts at its own or the source's starting")
        if again := self.recreated(files, ids or {}):
            if not self.passes_over_loss:
                return Result(INVALID, refusal(again, (written or {}).get(TOPICS, {}), ids, ends))
            return Result(VALID, f"continues at the first record of {', '.join(again)}")
        return Result(VALID, f"continues after {json.dumps(ends) if ends else 'its last batch'}")

    def changes(self, files: Files) -> list[str] | None:
        """Return differences between query and stored purpose; None if no purpose is stored."""
        written = self.stored_purpose(files)
        if written is None:
            return None
        return differences(written, self.purpose, STATE in files.names(self.location))

    def recreated(self, files: Files, ids: Mapping[str, str]) -> list[str]:
        """Return topics that were deleted and recreated since their ids were stored."""
        stored_ids = (self.stored_purpose(files) or {}).get(TOPICS, {})
        return [name for name in ids if stored_ids.get(name, ids[name]) != ids[name]]

    def stored_purpose(self, files: Files) -> dict[str, Any] | None:
        """Return the stored purpose; None if no complete copy exists."""
        for name in (PURPOSE, COPY):
            text = files.read(f"{self.location}/{name}")
            try:
                found = parse_json(text or "")
            except ValueError:
                continue
            if isinstance(found, dict):
                return found
        return None

    def claim(self, files: Files, label: str, ids: Mapping[str, str] | None = None) -> None:
        """Store the purpose; CheckpointError if the checkpoint belongs to another declaration.

        A checkpoint from before ids were stored gets the current ids.
        """
        self.check(files, label, None if self.passes_over_loss else ids)
        stored = self.stored_purpose(files) or {}
        if self.query_id(files) is None and self.planned(files) < 0:
            # Create the query id before Spark does: a copy is stored, so it can be restored.
            files.write(f"{self.location}/{METADATA}", json.dumps({"id": str(uuid.uuid4())}))
        topics = {**stored.get(TOPICS, {}), **(ids or {})}
        content = {
            **self.purpose,
            TOPICS: topics,
            ID: self.query_id(files) or stored.get(ID),
        }
        text = json.dumps(content, indent=1)
        for name in (PURPOSE, COPY):
            # Write only changes: a crash cannot truncate a file that is not written.
            if files.read(f"{self.location}/{name}") != text:
                files.write(f"{self.location}/{name}", text)

    def check(self, files: Files, label: str, ids: Mapping[str, str] | None = None) -> Result:
        """Return ``result``; CheckpointError if it is invalid."""
        result = self.result(files, ids)
        if result.state == INVALID:
            raise CheckpointError(f"{label} {result.reason}")
        return result

    def query_id(self, files: Files) -> str | None:
        """Return Spark's id of the query; None before its first start."""
        try:
            return str(parse_json(files.read(f"{self.location}/{METADATA}") or "")["id"])
        except (ValueError, KeyError, TypeError):
            return None

    def planned(self, files: Files) -> int:
        """Return the newest planned batch; -1 if there is none."""
        return latest_batch(files.names(f"{self.location}/{OFFSETS}"))

    def committed(self, files: Files) -> int:
        """Return the newest committed batch; -1 if there is none."""
        return latest_batch(files.names(f"{self.location}/{COMMITS}"))

    def ends(self, files: Files) -> dict[str, dict[str, int]]:
        """Return the end offsets of the newest committed batch; {} if unknown."""
        done = self.committed(files)
        return (
            end_offsets(files.read(f"{self.location}/{OFFSETS}/{done}") or "") if done >= 0 else {}
        )

    def _gap(self, files: Files) -> str | None:
        """Return an error if batches were committed, but all their offsets are lost."""
        if self.planned(files) >= 0 or self.committed(files) <= 0:
            return None
        return (
            f"has committed batches up to {self.committed(files)}, but the offsets of all batches "
            f"are lost in its checkpoint {self.location}. Restore the files of its folder "
            f"{OFFSETS}, or give the output another name: it gets a new checkpoint and starts at "
            "its own or the source's starting. Then run `make up`."
        )

    def _archive_fault(self, files: Files) -> str | None:
        """Return an error if the archive's mark is from another checkpoint."""
        if self.archive is None:
            return None
        if why := foreign_content(files.names(self.archive)):
            return (
                f"writes the archive {self.archive}, but {why}. Give it another path, or move "
                "the existing files away."
            )
        mark = Mark.if_whole(files.read(f"{self.archive}/{MARK}"))
        try:
            mark_to_restore(
                mark,
                self.query_id(files) or (self.stored_purpose(files) or {}).get(ID),
                self.planned(files),
                f"writes the archive {self.archive}",
                STATE in files.names(self.location),
            )
        except LostCheckpointError as error:
            return str(error)
        return None


def output_checkpoint(declaration: Declaration, name: str, output: Output | None) -> Checkpoint:
    """Return the checkpoint of an output; of the invalid records if ``output`` is None."""
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
            "delivery": output.delivery if output else DEFAULTS["delivery"],
            "statement": " ".join(output.sql.split()) if output else "",
            "fields": to_ddl(declaration.source.fields),
            "watermark": output.watermark.column if output and output.watermark else None,
        },
        archive=f"{site.archive_root.rstrip('/')}/{archive}" if archive else None,
        passes_over_loss=declaration.source.on_data_loss == "continue",
    )


def all_checkpoints(declaration: Declaration) -> dict[str, Checkpoint]:
    """Return a pipeline's checkpoints by output, that of the invalid records last."""
    found = {
        each.name: output_checkpoint(declaration, each.name, each) for each in declaration.outputs
    }
    if declaration.invalid:
        # No output can have this name: see declared_outputs.
        found[INVALID] = output_checkpoint(declaration, INVALID, None)
    return found


def latest_batch(names: list[str]) -> int:
    """Return the highest batch in a Spark log by its file names; -1 if there is none."""
    matches = filter(None, map(BATCH.fullmatch, names))
    return max((int(match[1]) for match in matches), default=-1)
