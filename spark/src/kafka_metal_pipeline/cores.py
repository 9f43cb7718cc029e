"""Cores that a pipeline cannot do without.

An output whose records go on one by one reads every partition all the time, each with a core of its
own. With fewer, Spark reads some partitions and says nothing of the others.
"""

from collections.abc import Callable

from kafka_metal_pipeline.model import REAL_TIME, Declaration


class CoresError(ValueError):
    """A pipeline has fewer cores than its outputs need at the same time."""


def check(declaration: Declaration, partitions: Callable[[], int]) -> None:
    """Raise CoresError where partitions would be left unread.

    ``partitions`` counts those of the source; it is asked only where it matters.
    """
    real_time = [output.name for output in declaration.outputs if output.is_real_time]
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
