"""Before a query starts: its checkpoint, its target and the topics it reads fit together."""

import logging
from collections.abc import Callable, Mapping

from kafka_metal_declarations.declared_outputs import INVALID
from kafka_metal_declarations.model import Declaration

from kafka_metal_pipeline.brokers import Topic
from kafka_metal_pipeline.invalid import LEAST_BYTES
from kafka_metal_pipeline.marks import Batches
from kafka_metal_pipeline.queries import Flow
from kafka_metal_pipeline.recreated import begin_again
from kafka_metal_pipeline.settling import settled, swept
from kafka_metal_pipeline.sinks import batches_of
from kafka_metal_pipeline.storage import Storage
from kafka_metal_pipeline.torn import COMMITS, OFFSETS

log = logging.getLogger(__name__)


class LimitError(ValueError):
    """A topic takes smaller records than it has to."""


def check_room(flow: Flow, declaration: Declaration) -> None:
    """Raise LimitError where the topic of invalid records cannot take what is told of one."""
    room = flow.limits[-1] if flow.limits else LEAST_BYTES
    if flow.name == INVALID and room < LEAST_BYTES:
        raise LimitError(
            f"pipeline {declaration.name}: invalid: topic {declaration.invalid} takes records of "
            f"{room} bytes; allowed: max.message.bytes of {LEAST_BYTES} or more, so that every "
            "invalid record fits. Raise it there, or name another topic and run `make up`."
        )


def prepare(
    flow: Flow,
    declaration: Declaration,
    topics: Mapping[str, Topic] | None = None,
    guard: Callable[[], None] | None = None,
) -> Batches | None:
    """Bring target and checkpoint together; None where Spark's own sink writes.

    ``topics`` are those of the source as the cluster has them, ``guard`` is that of ``Batches``.
    Raises LostCheckpointError when the one is not the other's, CheckpointError when too much of a
    checkpoint is lost, or when it is one of another topic or declaration.
    """
    spark = flow.rows.sparkSession
    storage = Storage(spark)
    who = f"pipeline {declaration.name}: outputs.{flow.name}"
    check_room(flow, declaration)
    ids = {name: topic.id for name, topic in (topics or {}).items()}
    torn, how = swept(storage, flow.checkpoint, who, log.warning, ids)
    log.info("%s: %s", flow.name, how)
    batches = batches_of(
        spark, declaration, flow.output, flow.checkpoint.location, list(flow.limits), guard
    )
    held = settled(torn, batches, log.warning)
    if names := flow.checkpoint.recreated(storage, ids):
        if held is not None and held == torn.newest(OFFSETS) > torn.newest(COMMITS):
            # Given up and planned anew, it would count as the one that the target holds.
            torn.commit(held)
        partitions = {name: (topics or {})[name].partitions for name in names}
        begin_again(storage, flow.checkpoint.location, partitions)
        log.warning(
            "%s: deleted and created again, and read from the first record: %s",
            who, ", ".join(names),
        )  # fmt: skip
    flow.checkpoint.claim(storage, who, ids)
    return batches
