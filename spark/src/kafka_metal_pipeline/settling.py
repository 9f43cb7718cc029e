"""Before a query starts: what a crash left is settled, and its checkpoint fits.

A driver does this to the files; a check does it to a ``Draft`` of them, which changes nothing.
"""

from collections.abc import Callable, Mapping

from kafka_metal_pipeline.checkpoint import ID, Checkpoint
from kafka_metal_pipeline.marks import Batches
from kafka_metal_pipeline.storage import Shelf
from kafka_metal_pipeline.torn import COMMITS, OFFSETS, Torn

Say = Callable[[str], None]


def swept(
    files: Shelf, checkpoint: Checkpoint, who: str, say: Say, ids: Mapping[str, str] | None = None
) -> tuple[Torn, str]:
    """The checkpoint without files that a crash has cut, and how the query goes on.

    ``ids`` are those that the cluster has for the source's topics; None where nobody asked.
    Raises CheckpointError when the checkpoint is one of another declaration or topic.
    """
    torn = Torn(files, checkpoint.location, who)
    if found := torn.sweep((checkpoint.noted(files) or {}).get(ID)):
        say(f"{who}: files that a crash has cut are removed: {', '.join(found)}")
    return torn, checkpoint.check(files, who, ids).reason


def settled(torn: Torn, batches: Batches | None, say: Say) -> int | None:
    """The newest batch that a target with a mark holds, once its checkpoint can go on from there.

    ``batches`` is None where the target has no mark. Raises LostCheckpointError when the one is not
    the other's, CheckpointError when too much of a checkpoint is lost.
    """
    held = batches.resume(torn.newest(OFFSETS), torn.newest(COMMITS)) if batches else None
    if again := torn.settle(held):
        say(f"{torn.who}: parts of its checkpoint were lost in a crash: {again} comes again")
    return held
