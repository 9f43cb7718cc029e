"""Cores that a pipeline cannot do without, and how many an output takes.

An output whose records go on one by one reads every partition all the time, each with a core of its
own. With fewer, Spark reads some partitions and says nothing of the others.
"""

from collections.abc import Callable

from kafka_metal_declarations.declared_outputs import INVALID
from kafka_metal_declarations.model import REAL_TIME, Declaration
from pyspark.sql import DataFrame


class CoresError(ValueError):
    """A pipeline has fewer cores than its outputs need at the same time."""


def check(declaration: Declaration, partitions: Callable[[], int]) -> None:
    """Raise CoresError where partitions would be left unread.

    ``partitions`` counts those of the source; it is asked only where it matters.
    """
    real_time = _real_time(declaration)
    if not real_time:
        return
    in_batches = len(declaration.outputs) > len(real_time) or declaration.invalid is not None
    count = partitions()
    needed = count * len(real_time) + in_batches
    if declaration.resources.cores < needed:
        beside = ", and one for what is read in batches" if in_batches else ""
        raise CoresError(
            f"pipeline {declaration.name}: resources.cores is {declaration.resources.cores}; "
            f"{', '.join(real_time)}: trigger {REAL_TIME} needs one for each of the source's "
            f"{count} partitions{beside}: {needed}"
        )


def leaving_one(rows: DataFrame, declaration: Declaration, output: str) -> DataFrame:
    """The rows of an output in so few partitions that writing them leaves a core to the others.

    While a target is away, tasks that write to it wait: two minutes where it is a topic. Each keeps
    its core as long, and with all of them every output would stand still. An only output takes them
    all: nobody but its invalid records waits with it.
    """
    alone = output != INVALID and len(declaration.outputs) == 1
    most = declaration.resources.cores - 1
    if alone or most == 0 or _real_time(declaration):
        return rows
    return rows.coalesce(most)


def _real_time(declaration: Declaration) -> list[str]:
    return [output.name for output in declaration.outputs if output.is_real_time]
