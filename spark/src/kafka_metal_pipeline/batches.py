"""The commands ``batch`` and ``repair``: read stored records once and exit."""

import logging
from collections.abc import Callable
from dataclasses import replace

from kafka_metal_declarations.model import Declaration, Starting
from pyspark.sql import DataFrame, SparkSession

from kafka_metal_pipeline import preparation, queries, registry, session, sizes, streams
from kafka_metal_pipeline.brokers import RightsError, read_limits, require_rights, written_topics
from kafka_metal_pipeline.exit_codes import DIED, DONE, REFUSED
from kafka_metal_pipeline.failures import explain
from kafka_metal_pipeline.refusals import REFUSALS
from kafka_metal_pipeline.repair import (
    MESSAGE_COLUMNS,
    messages,
    repair_records,
    sent_before,
    too_large,
)
from kafka_metal_pipeline.sql_check import SqlError, require_expressions

log = logging.getLogger(__name__)


def run(declaration: Declaration) -> int:
    """Run a pipeline over the stored records of its source; return the exit code.

    Statements and validation equal those of the stream. Outputs are written one after the other;
    repeating the command writes the rows to topics again.
    """

    def command(spark: SparkSession, declaration: Declaration) -> None:
        def read(_: str, starting: Starting | None) -> DataFrame:
            return queries.validate(
                streams.stored_records(spark, declaration, starting), declaration
            )

        limits = read_limits(spark, declaration.site, written_topics(declaration))
        for flow in queries.flows(read, declaration, limits):
            preparation.check_room(flow, declaration)
            queries.write_batch(flow, declaration)
            log.info("%s: written", flow.name)

    return _with_session(declaration, command)


def repair(declaration: Declaration, expression: str, condition: str, dry_run: bool) -> int:
    """Send repaired invalid records back to their source topic; return the exit code."""
    source, invalid = declaration.source, declaration.invalid
    if invalid is None or source.path or len(source.topics) != 1:
        log.error("pipeline %s has no topic of invalid records to repair", declaration.name)
        return REFUSED

    def command(spark: SparkSession, declaration: Declaration) -> None:
        require_expressions(
            spark, declaration, MESSAGE_COLUMNS, {"--set": expression, "--where": condition}
        )
        # Spark's reader repeats refused requests for minutes, and its error names no topic.
        _require_rights(spark, declaration, invalid, dry_run)
        everything = replace(source, starting="earliest", ending="latest", format="bytes")
        of_source = replace(declaration, source=everything)
        of_invalid = replace(declaration, source=replace(everything, topics=(invalid,)))
        found = repair_records(
            messages(streams.stored_records(spark, of_invalid)),
            sent_before(streams.stored_records(spark, of_source)),
            declaration,
            expression,
            condition,
        )
        limit = read_limits(spark, declaration.site, source.topics).get(source.topics[0])
        sendable = found.sendable.persist()
        if limit is not None:
            is_small = sizes.is_within_room(sendable, sizes.usable_bytes(limit, declaration.site))
            found = replace(
                found, left=found.left.unionByName(too_large(sendable.where(~is_small)))
            )
            sendable = sendable.where(is_small)
        for row in found.left.groupBy("reason").count().orderBy("reason").collect():
            log.info("left: %s, %s records", row["reason"], row["count"])
        log.info("%s: %s records", "sendable" if dry_run else "sent", sendable.count())
        if not dry_run:
            limits = [] if limit is None else [limit]
            streams.into_topic(sendable, source.topics[0], declaration.site, limits)

    return _with_session(declaration, command)


def _require_rights(
    spark: SparkSession, declaration: Declaration, invalid: str, dry_run: bool
) -> None:
    """Raise RightsError, with what to do, unless a repair may read and write its topics."""
    (topic,) = declaration.source.topics
    write = [] if dry_run else ["WRITE"]
    try:
        require_rights(spark, declaration.site, {topic: ["READ", *write], invalid: ["READ"]})
    except RightsError as error:
        raise RightsError(
            f"pipeline {declaration.name}: {error}. Nothing was sent. Declare these rights of its "
            "user in kafka_content_acls, run `make topics`, and repeat the repair"
        ) from None


def _with_session(
    declaration: Declaration, command: Callable[[SparkSession, Declaration], None]
) -> int:
    try:
        spark = session.connect(declaration)
    except SqlError as error:
        log.error("%s", error)
        return REFUSED
    try:
        command(spark, registry.resolve_schemas(declaration))
    except (*REFUSALS, RightsError) as error:
        log.error("%s", error)
        return REFUSED
    except Exception as error:
        log.error("pipeline %s: %s", declaration.name, explain(error))
        return DIED
    finally:
        spark.stop()
    return DONE
