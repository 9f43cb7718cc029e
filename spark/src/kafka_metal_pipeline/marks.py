"""Marks: a note in a target of its last batch, so that each batch is written once.

A target that supports atomic writes, such as a transaction, stores a mark with the rows: the
checkpoint, the batch and its offsets. After a crash the mark shows whether the batch is complete.
A mark may outlive its checkpoint; if the two do not match, the query is refused.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from kafka_metal_pipeline.plain_files import parse_json
from kafka_metal_pipeline.storage import Files


class LostCheckpointError(RuntimeError):
    """A checkpoint that does not match its target's mark."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The newest batch of a target; ``offsets`` is Spark's offsets file of the batch."""

    checkpoint: str
    batch: int
    offsets: str

    def to_text(self) -> str:
        """Return the mark as stored text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> "Mark":
        """Parse a stored mark."""
        found = parse_json(text)
        return cls(str(found["checkpoint"]), int(found["batch"]), str(found["offsets"]))

    @classmethod
    def if_whole(cls, text: str | None) -> "Mark | None":
        """Parse a stored mark; None if there is none or it is truncated."""
        try:
            return cls.from_text(text or "")
        except (ValueError, KeyError, TypeError, OverflowError):
            return None


class Target(Protocol):
    """A target that writes rows and mark atomically."""

    def mark(self) -> Mark | None:
        """Return the newest mark, after recovering from an interrupted write."""

    def write(self, rows: Any, mark: Mark) -> None:
        """Write a batch and its mark atomically."""


def mark_to_restore(
    mark: Mark | None,
    checkpoint: str | None,
    planned: int,
    label: str,
    is_stateful: bool = True,
) -> Mark | None:
    """Return the mark whose offsets a checkpoint has lost; None if it has lost none.

    ``checkpoint`` is the checkpoint's id, None if it is new; ``planned`` its newest batch;
    ``is_stateful``: whether continuing requires the state of batches that it has lost.
    Raises LostCheckpointError if the next batches would be skipped or written twice.
    """
    if mark is None or (mark.checkpoint == checkpoint and mark.batch <= planned):
        return None
    if mark.checkpoint == checkpoint and (mark.batch == planned + 1 or not is_stateful):
        # The mark restores the newest batch's file. Without state, earlier batches are not needed.
        return mark
    if mark.checkpoint == checkpoint:
        raise LostCheckpointError(
            f"{label}: its target has batches up to {mark.batch}, its checkpoint "
            f"{f'only up to {planned}' if planned >= 0 else 'has none'}: it was replaced by an "
            "older copy. Restore the newest copy, or give the output another name and another "
            "target."
        )
    raise LostCheckpointError(
        f"{label}: its target was written up to batch {mark.batch} from checkpoint "
        f"{mark.checkpoint}, but its checkpoint now is {checkpoint or 'a new one'}. Restore "
        f"it, or give the output another name and another target. {format_offsets(mark.offsets)}"
    )


def format_offsets(offsets: str) -> str:
    """Return a message with a batch's end offsets, in the form of ``starting``."""
    ends = end_offsets(offsets)
    return f"The last batch ended at {json.dumps(ends)}." if ends else ""


def end_offsets(offsets: str) -> dict[str, dict[str, int]]:
    """Return a batch's end offsets by topic and partition; empty if its source is not a topic."""
    for line in offsets.splitlines()[2:]:
        try:
            found = parse_json(line)
        except ValueError:
            continue
        if isinstance(found, dict) and all(isinstance(each, dict) for each in found.values()):
            return found
    return {}


class Batches:
    """Writes each batch of a query to its target exactly once; called by ``foreachBatch``."""

    def __init__(
        self,
        files: Files,
        location: str,
        target: Target,
        label: str,
        guard: Callable[[], None] | None = None,
    ) -> None:
        """``location`` is the checkpoint of the query, ``label`` names the query in messages.

        ``guard`` is called before each write and raises if the batch must not be written.
        """
        self._files, self._location, self._target, self._label = files, location, target, label
        self._guard = guard
        self._last: Mark | None = None

    def resume(self, planned: int, committed: int = -1) -> int | None:
        """Make target and checkpoint consistent before the query starts, or raise.

        ``planned`` and ``committed`` are the checkpoint's newest batches in these states.
        Return the newest batch of this checkpoint in the target.
        """
        self._last = self._target.mark()
        if self._last is None and planned > committed >= 0:
            raise LostCheckpointError(
                f"{self._label}: the mark of its target is missing or was truncated by a crash, "
                f"and batch {planned} may or may not be in the target. Restore the mark from a "
                "backup, or give the output another name and another target, and run `make up`. "
                "It has the rows of records after "
                f"{json.dumps(end_offsets(self._offsets(committed)))}."
            )
        is_stateful = self._is_stateful()
        missing = mark_to_restore(self._last, self._checkpoint(), planned, self._label, is_stateful)
        if missing:
            self._files.write(f"{self._location}/offsets/{missing.batch}", missing.offsets)
        return self._last.batch if self._last else None

    def __call__(self, rows: Any, batch: int) -> None:
        """Write a batch, unless it is in the target already."""
        mark = Mark(self._checkpoint() or "", batch, self._offsets(batch))
        if self._last and self._last.checkpoint == mark.checkpoint:
            if self._last.batch > batch:
                raise LostCheckpointError(f"{self._label}: batch {batch} was repeated out of order")
            if self._last.batch == batch:
                if self._is_stateful():
                    # Its rows are in the target; reading them restores the state lost in a crash.
                    rows.write.format("noop").mode("overwrite").save()
                return
        if self._guard:
            self._guard()
        self._target.write(rows, mark)
        self._last = mark

    def _offsets(self, batch: int) -> str:
        return self._files.read(f"{self._location}/offsets/{batch}") or ""

    def _is_stateful(self) -> bool:
        return "state" in self._files.names(self._location)

    def _checkpoint(self) -> str | None:
        written = self._files.read(f"{self._location}/metadata")
        return str(parse_json(written)["id"]) if written else None
