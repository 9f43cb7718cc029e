"""Which outputs read the source together, so that a record is read and parsed once for all of them.

Each keeps a query and a checkpoint of its own: one that is slow or fails holds up no other, and
reads for itself until it is where the others are.
"""

from collections.abc import Collection, Mapping

from kafka_metal_declarations.model import Declaration, Starting
from pyspark.sql import DataFrame, SparkSession

from kafka_metal_pipeline import streams
from kafka_metal_pipeline.checkpoint import all_of
from kafka_metal_pipeline.queries import Reader, validate


def together(declaration: Declaration) -> list[str]:
    """Outputs that read together, the invalid records among them; none where it would be one.

    Not those that begin elsewhere or have no batches. What is passed on whole is not parsed, and
    may be large.
    """
    source = declaration.source
    if source.path or source.format == "bytes":
        return []
    apart = {each.name for each in declaration.outputs if each.starting or each.is_real_time}
    found = [name for name in all_of(declaration) if name not in apart]
    return found if len(found) > 1 else []


def common(limits: Mapping[str, int], shared: Collection[str]) -> dict[str, int]:
    """Records of one batch of each output: what the slowest of ``shared`` can do, for all of them.

    One that can do less than half of what another can has a limit of its own: it would hold them
    up.
    """
    most = max((limits[name] for name in shared), default=0)
    alike = {name for name in shared if 2 * limits[name] >= most}
    least = min((limits[name] for name in alike), default=0)
    return {name: least if name in alike else limit for name, limit in limits.items()}


def waited_for(
    declaration: Declaration, limits: Mapping[str, int], shared: Collection[str]
) -> list[str]:
    """Those of ``shared`` that the others wait for while all lag: not one that is slower."""
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
    """What gives each output its stream; ``limits`` are the most records of one batch of each.

    ``shared`` are the outputs that read together.
    """
    waited = waited_for(declaration, limits, shared)
    if shared:
        judged = validate(spark.createDataFrame([], streams.RECORD), declaration)
        share = streams.shared(spark, declaration, judged, len(waited))

    def read(name: str, starting: Starting | None) -> DataFrame:
        if name in shared:
            return share(limits[name], name in waited)
        return validate(
            streams.records(spark, declaration, starting, limits.get(name)), declaration
        )

    return read
