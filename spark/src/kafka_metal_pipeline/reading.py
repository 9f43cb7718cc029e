"""Outputs that share one read of the source, so that each record is read and parsed once.

Each output still has its own query and checkpoint. A slow or failed one does not delay the others;
it reads separately until it reaches their offsets.
"""

from collections.abc import Collection, Mapping

from kafka_metal_declarations.model import Declaration, Starting
from pyspark.sql import DataFrame, SparkSession

from kafka_metal_pipeline import streams
from kafka_metal_pipeline.checkpoint import all_checkpoints
from kafka_metal_pipeline.queries import Reader, validate


def shared_outputs(declaration: Declaration) -> list[str]:
    """Return the outputs that share a read, with the invalid records; empty if it is only one.

    Outputs with their own start or without batches are excluded. Format ``bytes`` is not shared:
    nothing is parsed, and records may be large.
    """
    source = declaration.source
    if source.path or source.format == "bytes":
        return []
    separate = {each.name for each in declaration.outputs if each.starting or each.is_real_time}
    found = [name for name in all_checkpoints(declaration) if name not in separate]
    return found if len(found) > 1 else []


def common_limits(limits: Mapping[str, int], shared: Collection[str]) -> dict[str, int]:
    """Return the maximum records per batch: for shared outputs that of the slowest.

    An output with less than half of the highest limit keeps its own, as it would delay the others.
    """
    most = max((limits[name] for name in shared), default=0)
    alike = {name for name in shared if 2 * limits[name] >= most}
    least = min((limits[name] for name in alike), default=0)
    return {name: least if name in alike else limit for name, limit in limits.items()}


def outputs_to_wait_for(
    declaration: Declaration, limits: Mapping[str, int], shared: Collection[str]
) -> list[str]:
    """Return the shared outputs that others wait for during a backlog; slower ones excluded."""
    paces = {each.name: each.trigger for each in declaration.outputs}
    most = max((limits[name] for name in shared), default=0)
    return [
        name
        for name in shared
        if limits[name] == most and paces.get(name, declaration.trigger) == declaration.trigger
    ]


def reader(
    spark: SparkSession,
    declaration: Declaration,
    limits: Mapping[str, int],
    shared: Collection[str],
) -> Reader:
    """Return a function that gives each output its stream.

    ``limits`` are the maximum records per batch, ``shared`` the outputs that share a read.
    """
    waited = outputs_to_wait_for(declaration, limits, shared)
    if shared:
        validated = validate(spark.createDataFrame([], streams.RECORD), declaration)
        share = streams.share_read(spark, declaration, validated, len(waited))

    def read(name: str, starting: Starting | None) -> DataFrame:
        if name in shared:
            return share(limits[name], name in waited)
        return validate(
            streams.records(spark, declaration, starting, limits.get(name)), declaration
        )

    return read
