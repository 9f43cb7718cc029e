"""Minimum cores of a pipeline, and the cores that one output may use for writing.

A real-time output reads every partition all the time, each in a task with its own core. With fewer
cores Spark reads only some partitions and does not report the others.
"""

from collections.abc import Callable

from kafka_metal_declarations.declared_outputs import INVALID
from kafka_metal_declarations.model import REAL_TIME, Declaration
from pyspark.sql import DataFrame


class CoresError(ValueError):
    """A pipeline has fewer cores than its outputs need at the same time."""


def check(declaration: Declaration, partitions: Callable[[], int]) -> None:
    """Raise CoresError if a real-time output could not read all partitions.

    ``partitions`` returns the number of the source's partitions; only called if needed.
    """
    real_time = _real_time(declaration)
    if not real_time:
        return
    in_batches = len(declaration.outputs) > len(real_time) or declaration.invalid is not None
    count = partitions()
    needed = count * len(real_time) + in_batches
    if declaration.resources.cores < needed:
        for_batches = ", and one for outputs in batches" if in_batches else ""
        raise CoresError(
            f"pipeline {declaration.name}: resources.cores: found {declaration.resources.cores}; "
            f"allowed: at least {needed} (trigger {REAL_TIME} of {', '.join(real_time)} needs one "
            f"for each of the source's {count} partitions{for_batches})"
        )


def with_spare_core(rows: DataFrame, declaration: Declaration, output: str) -> DataFrame:
    """Return an output's rows in few enough partitions that one core stays free for the others.

    While a target is down, its write tasks wait (for a topic two minutes) and keep their cores.
    With all cores taken, every output would stop. A single output may use all of them: only its
    invalid records wait with it.
    """
    alone = output != INVALID and len(declaration.outputs) == 1
    most = declaration.resources.cores - 1
    if alone or most == 0 or _real_time(declaration):
        return rows
    return rows.coalesce(most)


def _real_time(declaration: Declaration) -> list[str]:
    return [output.name for output in declaration.outputs if output.is_real_time]
