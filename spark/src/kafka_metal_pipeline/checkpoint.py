"""Whether a checkpoint still fits the declaration it was made for.

Spark looks at the offsets and the state, and says little or nothing when they belong to something
else. So each checkpoint keeps what it was made for, and is compared before its query starts.
"""

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kafka_metal_declarations.ddl import to_ddl
from kafka_metal_declarations.model import Declaration, Output

from kafka_metal_pipeline.archive import MARK, foreign
from kafka_metal_pipeline.checkpoint_purpose import UNSAID, differences, remedy
from kafka_metal_pipeline.marks import LostCheckpointError, Mark, ends_of, restored
from kafka_metal_pipeline.plain_files import parsed
from kafka_metal_pipeline.recreated import refusal
from kafka_metal_pipeline.storage import Files
from kafka_metal_pipeline.torn import COMMITS, METADATA, OFFSETS, STATE, CheckpointError

PURPOSE = "kafka-metal.json"
# Of its keys: ids of the source's topics by name, and the id of the query.
TOPICS, ID = "topics", "id"
# The same again: a crash cuts the newest file at most.
COPY = "kafka-metal.copy.json"
BATCH = re.compile(r"([0-9]+)(\.compact)?")
NEW, VALID, INVALID = "new", "valid", "invalid"


@dataclass(frozen=True, slots=True)
class Result:
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
    # Whether records that the topic has no more are passed over, or end the query.
    passes_over_loss: bool = False

    def result(self, files: Files, ids: Mapping[str, str] | None = None) -> Result:
        """Whether the query can go on from here; changes nothing.

        ``ids`` are those that the cluster has for the source's topics; None where nobody asked.
        """
        written = self.noted(files)
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
            return Result(NEW, "has no checkpoint: it starts at source.starting, or its own")
        if again := self.recreated(files, ids or {}):
            if not self.passes_over_loss:
                return Result(INVALID, refusal(again, (written or {}).get(TOPICS, {}), ids, ends))
            return Result(VALID, f"goes on with the first record of {', '.join(again)}")
        return Result(VALID, f"goes on after {json.dumps(ends) if ends else 'its last batch'}")

    def changes(self, files: Files) -> list[str] | None:
        """What the query would do otherwise than its checkpoint knows; None where none says."""
        written = self.noted(files)
        if written is None:
            return None
        return differences(written, self.purpose, STATE in files.names(self.location))

    def recreated(self, files: Files, ids: Mapping[str, str]) -> list[str]:
        """Topics that were deleted and created again since their offsets were noted."""
        noted = (self.noted(files) or {}).get(TOPICS, {})
        return [name for name in ids if noted.get(name, ids[name]) != ids[name]]

    def noted(self, files: Files) -> dict[str, Any] | None:
        """What the checkpoint was made for; None where nothing whole says so."""
        for name in (PURPOSE, COPY):
            text = files.read(f"{self.location}/{name}")
            try:
                found = parsed(text or "")
            except ValueError:
                continue
            if isinstance(found, dict):
                return found
        return None

    def claim(self, files: Files, who: str, ids: Mapping[str, str] | None = None) -> None:
        """Note the purpose; raise CheckpointError when the checkpoint is one of another.

        A checkpoint that was made before ids were noted gets those of now.
        """
        self.check(files, who, None if self.passes_over_loss else ids)
        noted = self.noted(files) or {}
        if self.query_id(files) is None and self.planned(files) < 0:
            # Before Spark gives it one: so it is known here as well, and can be restored.
            files.write(f"{self.location}/{METADATA}", json.dumps({"id": str(uuid.uuid4())}))
        topics = {**noted.get(TOPICS, {}), **(ids or {})}
        content = {**self.purpose, TOPICS: topics, ID: self.query_id(files) or noted.get(ID)}
        text = json.dumps(content, indent=1)
        for name in (PURPOSE, COPY):
            # Written only when it changes: what is not written, no crash can cut.
            if files.read(f"{self.location}/{name}") != text:
                files.write(f"{self.location}/{name}", text)

    def check(self, files: Files, who: str, ids: Mapping[str, str] | None = None) -> Result:
        """As ``result``; raises CheckpointError when it is invalid."""
        result = self.result(files, ids)
        if result.state == INVALID:
            raise CheckpointError(f"{who} {result.reason}")
        return result

    def query_id(self, files: Files) -> str | None:
        """The id that Spark gave the query; None before its first start."""
        try:
            return str(parsed(files.read(f"{self.location}/{METADATA}") or "")["id"])
        except (ValueError, KeyError, TypeError):
            return None

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
        """Why nobody knows where batches that were made had ended."""
        if self.planned(files) >= 0 or self.made(files) <= 0:
            return None
        return (
            f"has made batches up to {self.made(files)}, and of its checkpoint {self.location} the "
            f"offsets of all batches are lost. Bring the files of its folder {OFFSETS} back, or "
            "give the output another name: it gets a checkpoint of its own, and begins at "
            "source.starting or its own. Then run `make up`."
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
        mark = Mark.if_whole(files.read(f"{self.archive}/{MARK}"))
        try:
            restored(
                mark,
                self.query_id(files) or (self.noted(files) or {}).get(ID),
                self.planned(files),
                f"writes the archive {self.archive}",
                STATE in files.names(self.location),
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
        passes_over_loss=declaration.source.on_data_loss == "continue",
    )


def all_of(declaration: Declaration) -> dict[str, Checkpoint]:
    """The checkpoints of a pipeline by output, that of the invalid records last."""
    found = {each.name: of_output(declaration, each.name, each) for each in declaration.outputs}
    if declaration.invalid:
        # The name that no output can have: see declared_outputs.
        found[INVALID] = of_output(declaration, INVALID, None)
    return found


def latest_batch(names: list[str]) -> int:
    """Highest batch in a log of Spark, by its files' names; -1 when there is none."""
    matches = filter(None, map(BATCH.fullmatch, names))
    return max((int(match[1]) for match in matches), default=-1)
