"""Preparation of a query: its checkpoint, target and topics are checked and made consistent."""

import logging
from collections.abc import Callable, Mapping

from kafka_metal_declarations.declared_outputs import INVALID
from kafka_metal_declarations.model import Declaration

from kafka_metal_pipeline.brokers import Topic
from kafka_metal_pipeline.checkpoint_files import COMMITS, OFFSETS
from kafka_metal_pipeline.invalid import LEAST_BYTES
from kafka_metal_pipeline.marks import Batches
from kafka_metal_pipeline.queries import Flow
from kafka_metal_pipeline.recovery import clean, recover
from kafka_metal_pipeline.recreated import reset_offsets
from kafka_metal_pipeline.sinks import output_batches
from kafka_metal_pipeline.storage import Storage

log = logging.getLogger(__name__)


class LimitError(ValueError):
    """max.message.bytes of the topic of invalid records is too small."""


def check_room(flow: Flow, declaration: Declaration) -> None:
    """Raise LimitError if the topic of invalid records is too small for any of them."""
    room = flow.limits[-1] if flow.limits else LEAST_BYTES
    if flow.name == INVALID and room < LEAST_BYTES:
        raise LimitError(
            f"pipeline {declaration.name}: invalid: topic {declaration.invalid} allows {room} "
            f"bytes per record; allowed: max.message.bytes of {LEAST_BYTES} or more, so that every "
            "invalid record fits. Raise it there, or name another topic and run `make up`."
        )


def prepare(
    flow: Flow,
    declaration: Declaration,
    topics: Mapping[str, Topic] | None = None,
    guard: Callable[[], None] | None = None,
) -> Batches | None:
    """Make target and checkpoint consistent; None if Spark's own sink writes the target.

    ``topics`` are the source's current topics, ``guard`` is that of ``Batches``. Raises
    LostCheckpointError if target and checkpoint do not match, CheckpointError if too much of the
    checkpoint is lost, or if it belongs to another topic or declaration.
    """
    spark = flow.rows.sparkSession
    storage = Storage(spark)
    label = f"pipeline {declaration.name}: outputs.{flow.name}"
    check_room(flow, declaration)
    ids = {name: topic.id for name, topic in (topics or {}).items()}
    checkpoint_files, how = clean(storage, flow.checkpoint, label, log.warning, ids)
    log.info("%s: %s", flow.name, how)
    batches = output_batches(
        spark, declaration, flow.output, flow.checkpoint.location, list(flow.limits), guard
    )
    held = recover(checkpoint_files, batches, log.warning)
    if names := flow.checkpoint.recreated(storage, ids):
        if held is not None and held == checkpoint_files.newest(OFFSETS) > checkpoint_files.newest(
            COMMITS
        ):
            # Commit it: planned again, the batch would be taken for the one in the target.
            checkpoint_files.commit(held)
        partitions = {name: (topics or {})[name].partitions for name in names}
        reset_offsets(storage, flow.checkpoint.location, partitions)
        log.warning(
            "%s: deleted and created again, reading from the first record: %s",
            label, ", ".join(names),
        )  # fmt: skip
    flow.checkpoint.claim(storage, label, ids)
    return batches
