"""Recovery of a query's checkpoint before its start: damage of a crash is repaired.

A driver changes the files; a check uses ``OverlayFiles``, which change nothing on disk.
"""

from collections.abc import Callable, Mapping

from kafka_metal_pipeline.checkpoint import ID, Checkpoint
from kafka_metal_pipeline.checkpoint_files import COMMITS, OFFSETS, CheckpointFiles
from kafka_metal_pipeline.marks import Batches
from kafka_metal_pipeline.storage import FileStore

Report = Callable[[str], None]


def clean(
    files: FileStore,
    checkpoint: Checkpoint,
    label: str,
    report: Report,
    ids: Mapping[str, str] | None = None,
) -> tuple[CheckpointFiles, str]:
    """Remove damaged files of a checkpoint; return it and how the query continues.

    ``ids`` are the current ids of the source's topics; None if they were not queried. Raises
    CheckpointError if the checkpoint belongs to another declaration or topic.
    """
    checkpoint_files = CheckpointFiles(files, checkpoint.location, label)
    if found := checkpoint_files.remove_damaged((checkpoint.stored_purpose(files) or {}).get(ID)):
        report(f"{label}: removed files that a crash damaged: {', '.join(found)}")
    return checkpoint_files, checkpoint.check(files, label, ids).reason


def recover(
    checkpoint_files: CheckpointFiles, batches: Batches | None, report: Report
) -> int | None:
    """Make a checkpoint usable; return the newest batch in a target with a mark.

    ``batches`` is None if the target has no mark. Raises LostCheckpointError if target and
    checkpoint do not match, CheckpointError if too much of the checkpoint is lost.
    """
    held = (
        batches.resume(checkpoint_files.newest(OFFSETS), checkpoint_files.newest(COMMITS))
        if batches
        else None
    )
    if again := checkpoint_files.roll_back(held):
        report(f"{checkpoint_files.label}: a crash damaged its checkpoint: repeating {again}")
    return held
