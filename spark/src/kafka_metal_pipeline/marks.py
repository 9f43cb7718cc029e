"""What a target knows of the batches it holds, so that each is written once.

A target that is written in one step, as a transaction is, keeps a mark in the same step: which
checkpoint's batch it was, and which offsets it had. After a crash the mark says whether the batch
has to come again. The mark outlives its checkpoint: when the two do not belong together, that is
said, and nothing is skipped.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from kafka_metal_pipeline.plain_files import parsed
from kafka_metal_pipeline.storage import Files


class LostCheckpointError(RuntimeError):
    """A checkpoint that is not the one its target was written from."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The newest batch of a target. ``offsets`` is Spark's own file of the batch."""

    checkpoint: str
    batch: int
    offsets: str

    def to_text(self) -> str:
        """As it is stored."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> "Mark":
        """The mark of a stored text."""
        found = parsed(text)
        return cls(str(found["checkpoint"]), int(found["batch"]), str(found["offsets"]))

    @classmethod
    def if_whole(cls, text: str | None) -> "Mark | None":
        """The mark of a stored text; None where there is none, or a crash has cut it."""
        try:
            return cls.from_text(text or "")
        except (ValueError, KeyError, TypeError, OverflowError):
            return None


class Target(Protocol):
    """Where rows go with a mark, both or neither."""

    def mark(self) -> Mark | None:
        """The newest mark, once what a crash left is undone or brought to its end."""

    def write(self, rows: Any, mark: Mark) -> None:
        """Write a batch and its mark."""


def restored(
    mark: Mark | None,
    checkpoint: str | None,
    planned: int,
    who: str,
    is_stateful: bool = True,
) -> Mark | None:
    """The mark whose offsets a checkpoint has lost, or None when nothing is missing.

    ``checkpoint`` is the id of the checkpoint, None when it is new; ``planned`` its newest batch;
    ``is_stateful``, whether the batches it does not know of are needed to go on.
    Raises LostCheckpointError when the batches that come would be taken for others.
    """
    if mark is None or (mark.checkpoint == checkpoint and mark.batch <= planned):
        return None
    if mark.checkpoint == checkpoint and (mark.batch == planned + 1 or not is_stateful):
        # With its newest file the batch is the same again. Where no state depends on the batches
        # before, nothing of them is needed either.
        return mark
    if mark.checkpoint == checkpoint:
        raise LostCheckpointError(
            f"{who}: its target holds batches up to {mark.batch}, its checkpoint knows of "
            f"{planned + 1 or 'none'}: an older copy was put in its place. Bring the newest back, "
            "or give the output another name and another target."
        )
    raise LostCheckpointError(
        f"{who}: its target was written up to batch {mark.batch} from checkpoint "
        f"{mark.checkpoint}, which is gone; {checkpoint or 'a new one'} is in its place. Bring it "
        f"back, or give the output another name and another target. {where(mark.offsets)}"
    )


def where(offsets: str) -> str:
    """Where a batch ended, as ``starting`` takes it, from Spark's file of its offsets."""
    ends = ends_of(offsets)
    return f"The last batch ended at {json.dumps(ends)}." if ends else ""


def ends_of(offsets: str) -> dict[str, dict[str, int]]:
    """Offsets by topic and partition at the end of a batch; empty when they are no topic's."""
    for line in offsets.splitlines()[2:]:
        try:
            found = parsed(line)
        except ValueError:
            continue
        if isinstance(found, dict) and all(isinstance(each, dict) for each in found.values()):
            return found
    return {}


class Batches:
    """Writes the batches of a query to a target, each once; what ``foreachBatch`` calls."""

    def __init__(
        self,
        files: Files,
        location: str,
        target: Target,
        who: str,
        guard: Callable[[], None] | None = None,
    ) -> None:
        """``location`` is the checkpoint of the query, ``who`` names the query in messages.

        ``guard`` raises where a batch must not be written.
        """
        self._files, self._location, self._target, self._who = files, location, target, who
        self._guard = guard
        self._last: Mark | None = None

    def resume(self, planned: int, made: int = -1) -> int | None:
        """Bring target and checkpoint together before the query starts, or raise.

        ``planned`` and ``made`` are the newest batches of the checkpoint's logs. Returns the newest
        batch of this checkpoint that the target holds.
        """
        self._last = self._target.mark()
        if self._last is None and planned > made >= 0:
            raise LostCheckpointError(
                f"{self._who}: the mark of its target is gone or was cut by a crash, and batch "
                f"{planned} may be in the target or not. Bring the mark back from a copy, or give "
                "the output another name and another target, and run `make up`. Rows of records "
                f"after {json.dumps(ends_of(self._offsets(made)))} are those of the batch."
            )
        is_stateful = self._is_stateful()
        missing = restored(self._last, self._checkpoint(), planned, self._who, is_stateful)
        if missing:
            self._files.write(f"{self._location}/offsets/{missing.batch}", missing.offsets)
        return self._last.batch if self._last else None

    def __call__(self, rows: Any, batch: int) -> None:
        """Write a batch, unless the target has it."""
        mark = Mark(self._checkpoint() or "", batch, self._offsets(batch))
        if self._last and self._last.checkpoint == mark.checkpoint:
            if self._last.batch > batch:
                raise LostCheckpointError(f"{self._who}: batch {batch} comes again, after others")
            if self._last.batch == batch:
                if self._is_stateful():
                    # Its rows are there; the state that a crash took is made by reading them.
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
        return str(parsed(written)["id"]) if written else None
