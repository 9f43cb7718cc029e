"""The throughput of each query, kept next to its checkpoint for the limits of the next start."""

from collections.abc import Mapping

from kafka_metal_declarations.model import Declaration
from pyspark.sql.streaming.query import StreamingQuery

from kafka_metal_pipeline import rate
from kafka_metal_pipeline.checkpoint import all_checkpoints
from kafka_metal_pipeline.storage import Files

# File next to a query's checkpoint with its throughput, for the next start.
CAPACITY = "kafka-metal-records-per-second"


def batch_limits(
    declaration: Declaration, files: Files, planned: Mapping[str, float]
) -> dict[str, int]:
    """Return the maximum records per batch of each query, from its last throughput.

    ``planned``: seconds for which a batch is planned, by output.
    The lag is not known yet; if it is small, batches stay below the limit.
    """
    ceiling, found = declaration.source.max_per_trigger, {}
    one_by_one = {output.name for output in declaration.outputs if output.is_real_time}
    for name, checkpoint in all_checkpoints(declaration).items():
        if name in one_by_one:
            continue
        capacity = files.read(f"{checkpoint.location}/{CAPACITY}")
        # A crash may have truncated the file to fewer digits or none.
        is_known = (capacity or "").strip().isdecimal()
        load = rate.Load(float(str(capacity)), ceiling) if is_known else None
        found[name] = rate.batch_limit(load, planned[name], ceiling)
    return found


def keep_capacity(query: StreamingQuery, location: str, files: Files) -> None:
    """Save the throughput of a query for the next start; ``location`` is its checkpoint."""
    capacity = rate.read_throughput(query.recentProgress)
    if capacity is not None:
        files.write(f"{location}/{CAPACITY}", f"{capacity:.0f}")
