"""Whether declarations can go on from the checkpoints that are there; changes no file.

By what a driver does itself before a query starts. The ids of topics, and marks in topics and
tables, are elsewhere: those the driver alone compares.
"""

import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from kafka_metal_declarations.model import TRANSACTIONAL, Declaration, Output

from kafka_metal_pipeline.archive import archive_of
from kafka_metal_pipeline.checkpoint import Checkpoint, all_of
from kafka_metal_pipeline.draft import Draft
from kafka_metal_pipeline.local_files import is_local
from kafka_metal_pipeline.marks import Batches, LostCheckpointError
from kafka_metal_pipeline.settling import settled, swept
from kafka_metal_pipeline.torn import CheckpointError

# A driver may write while its files are read: only what stays so is refused.
READS, PAUSE_S = 3, 1.0
# What reading files ends in that have another form than ours.
UNREADABLE = (OSError, ValueError, ArithmeticError, AttributeError, LookupError, TypeError)


@dataclass(frozen=True, slots=True)
class _Case:
    """An output, its checkpoint and what it is called; ``output`` is None for invalid records."""

    declaration: Declaration
    name: str
    output: Output | None
    checkpoint: Checkpoint

    @property
    def who(self) -> str:
        return f"pipeline {self.declaration.name}: output {self.name}"


@dataclass(frozen=True, slots=True)
class Findings:
    """What drivers would refuse, one line for each output.

    ``refused`` are outputs that are new, or declared otherwise than their checkpoint says;
    ``damaged`` those that are declared as it says.
    """

    refused: list[str]
    damaged: list[str]


def findings(declarations: Iterable[Declaration], running: Collection[str]) -> Findings:
    """What is wrong with the checkpoints; ``running`` names pipelines whose drivers run.

    Of these an output that is declared as its checkpoint says is not searched for damage: it runs.
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


def elsewhere(declarations: Iterable[Declaration]) -> list[str]:
    """What to say of outputs whose checkpoints are no files of this machine."""
    return [
        f"{case.who}: its checkpoint {case.checkpoint.location} is no directory: its driver alone "
        "compares it, at its start"
        for case in _cases(declarations)
        if not is_local(case.checkpoint.location)
    ]


def _cases(declarations: Iterable[Declaration]) -> list[_Case]:
    return [
        _Case(declared, name, {each.name: each for each in declared.outputs}.get(name), checkpoint)
        for declared in declarations
        for name, checkpoint in all_of(declared).items()
    ]


def _is_unchanged(case: _Case) -> bool:
    try:
        return case.checkpoint.changes(Draft()) == []
    except UNREADABLE:
        # Read again below, and told there.
        return False


def _refusal(case: _Case) -> str | None:
    try:
        _start(case)
    except (CheckpointError, LostCheckpointError) as error:
        return f"{case.who}: {str(error).removeprefix(case.who).lstrip(': ')}"
    except UNREADABLE as error:
        place = case.checkpoint.location
        return f"{case.who}: its checkpoint {place} cannot be read: {' '.join(str(error).split())}"
    return None


def _start(case: _Case) -> None:
    """As ``preparation.prepare`` does before a query starts, on a draft of its files."""
    files, output, location = Draft(), case.output, case.checkpoint.location
    torn, _ = swept(files, case.checkpoint, case.who, _say_nothing)
    if output and (output.table or output.delivery == TRANSACTIONAL):
        # How far these have to go back is in their marks.
        return
    batches = None
    if output and output.path:
        target = archive_of(files, case.declaration.site.archive_root, output)
        batches = Batches(files, location, target, case.who)
    settled(torn, batches, _say_nothing)


def _say_nothing(_: str) -> None:
    """A driver says in its log what it mends; here nothing is mended."""
