"""Checks whether declarations can continue from existing checkpoints; changes no file.

Uses the same checks as a driver before it starts a query. Topic ids, and marks in topics and
tables, are not checked here: they need a connection.
"""

import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from kafka_metal_declarations.model import TRANSACTIONAL, Declaration, Output

from kafka_metal_pipeline.archive import output_archive
from kafka_metal_pipeline.checkpoint import Checkpoint, all_checkpoints
from kafka_metal_pipeline.checkpoint_files import CheckpointError
from kafka_metal_pipeline.local_files import is_local
from kafka_metal_pipeline.marks import Batches, LostCheckpointError
from kafka_metal_pipeline.overlay_files import OverlayFiles
from kafka_metal_pipeline.recovery import clean, recover

# A running driver may write while files are read: only repeated findings are reported.
READS, PAUSE_S = 3, 1.0
# Errors from files whose content has an unexpected form.
UNREADABLE = (OSError, ValueError, ArithmeticError, AttributeError, LookupError, TypeError)


@dataclass(frozen=True, slots=True)
class _Case:
    """An output with its checkpoint; ``output`` is None for the invalid records."""

    declaration: Declaration
    name: str
    output: Output | None
    checkpoint: Checkpoint

    @property
    def label(self) -> str:
        return f"pipeline {self.declaration.name}: output {self.name}"


@dataclass(frozen=True, slots=True)
class Findings:
    """Errors that drivers would raise, one line per output.

    ``refused``: of outputs that are new or differ from their checkpoint; ``damaged``: of others.
    """

    refused: list[str]
    damaged: list[str]


def findings(declarations: Iterable[Declaration], running: Collection[str]) -> Findings:
    """Return the errors of checkpoints; ``running`` names pipelines whose drivers run.

    Unchanged outputs of running pipelines are not checked for damage.
    """
    cases = [case for case in _cases(declarations) if is_local(case.checkpoint.location)]
    unchanged = [case for case in cases if _is_unchanged(case)]
    pending = [
        case for case in cases if case not in unchanged or case.declaration.name not in running
    ]
    found: list[tuple[_Case, str]] = []
    for each in range(READS):
        found = [(case, why) for case in pending if (why := _refusal(case))]
        pending = [case for case, _ in found]
        if not pending:
            break
        if each < READS - 1:
            time.sleep(PAUSE_S)
    return Findings(
        [why for case, why in found if case not in unchanged],
        [why for case, why in found if case in unchanged],
    )


def not_local(declarations: Iterable[Declaration]) -> list[str]:
    """Return a note for each output whose checkpoint is not on a local file system."""
    return [
        f"{case.label}: its checkpoint {case.checkpoint.location} is not a local directory: only "
        "its driver checks it, when it starts"
        for case in _cases(declarations)
        if not is_local(case.checkpoint.location)
    ]


def _cases(declarations: Iterable[Declaration]) -> list[_Case]:
    return [
        _Case(declared, name, {each.name: each for each in declared.outputs}.get(name), checkpoint)
        for declared in declarations
        for name, checkpoint in all_checkpoints(declared).items()
    ]


def _is_unchanged(case: _Case) -> bool:
    try:
        return case.checkpoint.changes(OverlayFiles()) == []
    except UNREADABLE:
        # Reported by the check of the whole checkpoint.
        return False


def _refusal(case: _Case) -> str | None:
    try:
        _start(case)
    except (CheckpointError, LostCheckpointError) as error:
        return f"{case.label}: {str(error).removeprefix(case.label).lstrip(': ')}"
    except UNREADABLE as error:
        place = case.checkpoint.location
        found = " ".join(str(error).split())
        return f"{case.label}: its checkpoint {place} cannot be read: {found}"
    return None


def _start(case: _Case) -> None:
    """Run the checks of ``preparation.prepare`` on an in-memory overlay of the files."""
    files, output, location = OverlayFiles(), case.output, case.checkpoint.location
    checkpoint_files, _ = clean(files, case.checkpoint, case.label, _say_nothing)
    if output and (output.table or output.delivery == TRANSACTIONAL):
        # The marks determine how far these roll back; they are not available here.
        return
    batches = None
    if output and output.path:
        target = output_archive(files, case.declaration.site.archive_root, output)
        batches = Batches(files, location, target, case.label)
    recover(checkpoint_files, batches, _say_nothing)


def _say_nothing(_: str) -> None:
    """Drop the driver's messages about repairs: nothing is repaired here."""
