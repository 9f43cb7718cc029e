"""The target of an output and its delivery guarantee.

Spark's own sink writes topics at least once. Transactional topics, archives and tables are written
exactly once, with a mark that is written together with the rows.
"""

from collections.abc import Callable
from functools import partial

from kafka_metal_declarations.model import TRANSACTIONAL, Declaration, Output
from pyspark.sql import SparkSession

from kafka_metal_pipeline import librdkafka
from kafka_metal_pipeline.archive import output_archive
from kafka_metal_pipeline.jdbc import output_table
from kafka_metal_pipeline.marks import Batches, Target
from kafka_metal_pipeline.sizes import librdkafka_options
from kafka_metal_pipeline.storage import Storage
from kafka_metal_pipeline.transactions import TransactionalTopic


def output_batches(
    spark: SparkSession,
    declaration: Declaration,
    output: Output | None,
    location: str,
    limits: list[int],
    guard: Callable[[], None] | None = None,
) -> Batches | None:
    """Return the writer of an output's batches; None if Spark's own sink writes them.

    ``location`` is the output's checkpoint, ``limits`` are the maximum record bytes of its topics,
    ``guard`` is that of ``Batches``.
    """
    target = output_target(spark, declaration, output, limits) if output else None
    if target is None or output is None:
        return None
    label = f"pipeline {declaration.name}: outputs.{output.name}"
    return Batches(Storage(spark), location, target, label, guard)


def output_target(
    spark: SparkSession, declaration: Declaration, output: Output, limits: list[int]
) -> Target | None:
    """Return a target that is written with a mark; None for a topic with at-least-once delivery."""
    site, owner = declaration.site, f"{declaration.name}/{output.name}"
    if output.path:
        storage = Storage(spark)
        return output_archive(storage, site.archive_root, output, storage.measure)
    if output.table and output.database:
        return output_table(spark, site.databases[output.database], output, owner)
    if output.topic and output.delivery == TRANSACTIONAL and site.marks_topic:
        client = {"bootstrap.servers": ",".join(site.bootstrap)}
        client |= librdkafka.translate_options(site.kafka_options)
        return TransactionalTopic(
            topic=output.topic,
            marks=site.marks_topic,
            owner=owner,
            connect=partial(librdkafka.connect, librdkafka_options(limits) | client),
            read_marks=partial(librdkafka.read_all, client, site.marks_topic),
        )
    return None
