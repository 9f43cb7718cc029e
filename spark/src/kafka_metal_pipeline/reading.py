"""Outputs that share one read of the source, so that each record is read and parsed once.

Each output still has its own query and checkpoint. A slow or failed one does not delay the others;
it reads separately until it reaches their offsets.
"""

from collections.abc import Callable, Collection, Mapping

from kafka_metal_declarations.model import Declaration, Starting
from pyspark.sql import DataFrame, SparkSession

from kafka_metal_pipeline import streams
from kafka_metal_pipeline.checkpoint import all_checkpoints
from kafka_metal_pipeline.queries import Reader, validate

# Sets the maximum records per batch of a running query; False if it needs a restart.
SetLimit = Callable[[str, int], bool]


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


def common_limits(
    limits: Mapping[str, int], shared: Collection[str], planned: Mapping[str, float]
) -> dict[str, int]:
    """Return the maximum records per batch: for shared outputs that of the slowest.

    Only outputs whose batches are planned for the same seconds have a common limit. An output with
    less than half of their highest limit keeps its own, as it would delay the others.
    """
    found = dict(limits)
    for seconds in {planned[name] for name in shared}:
        group = [name for name in shared if planned[name] == seconds]
        most = max(limits[name] for name in group)
        alike = [name for name in group if 2 * limits[name] >= most]
        found |= dict.fromkeys(alike, min(limits[name] for name in alike))
    return found


def outputs_to_wait_for(
    declaration: Declaration, limits: Mapping[str, int], shared: Collection[str]
) -> list[str]:
    """Return the shared outputs that others wait for during a backlog; slower ones excluded."""
    other = {each.name for each in declaration.outputs if each.trigger != declaration.trigger}
    paced = [name for name in shared if name not in other]
    most = max((limits[name] for name in paced), default=0)
    return [name for name in paced if limits[name] == most]


def reader(
    spark: SparkSession,
    declaration: Declaration,
    limits: Mapping[str, int],
    shared: Collection[str],
) -> tuple[Reader, SetLimit]:
    """Return a function that gives each output its stream, and one that sets its limit.

    ``limits`` are the maximum records per batch, ``shared`` the outputs that share a read.
    """
    waited = outputs_to_wait_for(declaration, limits, shared)
    if shared:
        validated = validate(spark.createDataFrame([], streams.RECORD), declaration)
        together = streams.SharedRead(spark, declaration, validated, len(waited))

    def read(name: str, starting: Starting | None) -> DataFrame:
        if name in shared:
            return together.stream(name, limits[name], name in waited)
        return validate(
            streams.records(spark, declaration, starting, limits.get(name)), declaration
        )

    def set_limit(name: str, limit: int) -> bool:
        if name not in shared:
            return False
        together.set_limit(name, limit)
        return True

    return read, set_limit
