"""Which target an output has, and what it promises.

Topics get rows at least once by Spark's own sink; transactional topics, archives and tables get
them exactly once, by a mark that is written with the rows.
"""

from collections.abc import Callable
from functools import partial

from kafka_metal_declarations.model import TRANSACTIONAL, Declaration, Output
from pyspark.sql import SparkSession

from kafka_metal_pipeline import librdkafka
from kafka_metal_pipeline.archive import archive_of
from kafka_metal_pipeline.jdbc import table_of
from kafka_metal_pipeline.marks import Batches, Target
from kafka_metal_pipeline.sizes import librdkafka_options
from kafka_metal_pipeline.storage import Storage
from kafka_metal_pipeline.transactions import TransactionalTopic


def batches_of(
    spark: SparkSession,
    declaration: Declaration,
    output: Output | None,
    location: str,
    limits: list[int],
    guard: Callable[[], None] | None = None,
) -> Batches | None:
    """What writes an output's batches; None where Spark's own sink does.

    ``location`` is the output's checkpoint, ``limits`` the bytes that records of its topics may
    have, ``guard`` that of ``Batches``.
    """
    target = target_of(spark, declaration, output, limits) if output else None
    if target is None or output is None:
        return None
    who = f"pipeline {declaration.name}: outputs.{output.name}"
    return Batches(Storage(spark), location, target, who, guard)


def target_of(
    spark: SparkSession, declaration: Declaration, output: Output, limits: list[int]
) -> Target | None:
    """The target that is written with a mark; None for a topic that gets rows at least once."""
    site, owner = declaration.site, f"{declaration.name}/{output.name}"
    if output.path:
        return archive_of(Storage(spark), site.archive_root, output)
    if output.table and output.database:
        return table_of(spark, site.databases[output.database], output, owner)
    if output.topic and output.delivery == TRANSACTIONAL and site.marks_topic:
        client = {"bootstrap.servers": ",".join(site.bootstrap)}
        client |= librdkafka.translated(site.kafka_options)
        return TransactionalTopic(
            topic=output.topic,
            marks=site.marks_topic,
            owner=owner,
            connect=partial(librdkafka.connect, librdkafka_options(limits) | client),
            read_marks=partial(librdkafka.read_all, client, site.marks_topic),
        )
    return None
