"""Rows of an output: the result of its statement over accepted events."""

import socket
from collections.abc import Mapping

from kafka_metal_declarations.ddl import HEADERS, RECORD_COLUMNS, quote_name
from kafka_metal_declarations.declared_outputs import VIEW
from kafka_metal_declarations.model import Metadata, Output, Source
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

DATE = "date"
# Columns of an unparsed record.
WHOLE = ("key", "value", "headers")
# Without loss: Spark's default would truncate timestamps to milliseconds.
JSON_OPTIONS = {
    "ignoreNullFields": "false",
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
}


def statement_rows(events: DataFrame, output: Output) -> DataFrame:
    """Return the result of the output's statement over ``events``, with its watermark."""
    if output.watermark:
        events = events.withWatermark(output.watermark.column, output.watermark.delay)
    # The SQL is analysed immediately, so the next output may replace the view.
    events.createOrReplaceTempView(VIEW)
    return events.sparkSession.sql(output.sql)


def topic_rows(rows: DataFrame, output: Output, source: Source) -> DataFrame:
    """Return key, value and headers of an output's records."""
    if source.format == "bytes":
        return whole_records(rows, output)
    return topic_records(rows, output.key, output.metadata)


def whole_records(rows: DataFrame, output: Output) -> DataFrame:
    """Return unparsed records, with origin headers appended to their own.

    Raises ValueError if the statement does not select key, value and headers.
    """
    if missing := [name for name in WHOLE if name not in rows.columns]:
        raise ValueError(f"format bytes needs {', '.join(WHOLE)}; the statement has no {missing}")
    key = F.expr(output.key).cast("binary") if output.key else F.col("key")
    added = [*_origin_entries(rows), *_metadata_entries(output.metadata)]
    kept = F.coalesce(F.col("headers"), F.array().cast(HEADERS))
    headers = F.concat(kept, F.array(*added).cast(HEADERS)) if added else kept
    return rows.select(key.alias("key"), "value", headers.alias("headers"))


def topic_records(rows: DataFrame, key: str | None, metadata: Metadata | None = None) -> DataFrame:
    """Return key, JSON value and headers of a topic's records.

    The value has the statement's columns without RECORD_COLUMNS, including nulls; ``key`` is an
    expression over all of them. The headers have the origin of a row, by which a reader detects
    duplicates; without RECORD_COLUMNS, as in an aggregate, there are none. Raises ValueError if
    the statement has no other columns.
    """
    columns = [name for name in rows.columns if name not in RECORD_COLUMNS]
    if not columns:
        raise ValueError(f"the statement selects nothing but {', '.join(rows.columns)}")
    value = F.to_json(F.struct(*(F.col(quote_name(name)) for name in columns)), JSON_OPTIONS)
    record_key = F.expr(key).cast("string") if key else F.lit(None).cast("string")
    selected = [record_key.alias("key"), value.alias("value")]
    if headers := [*_origin_entries(rows), *_metadata_entries(metadata)]:
        selected.append(F.array(*headers).alias("headers"))
    return rows.select(*selected)


def has_origin(rows: DataFrame) -> bool:
    """Whether rows have the columns with their record's origin."""
    return set(RECORD_COLUMNS) <= set(rows.columns)


def origin_headers() -> Column:
    """Return Kafka headers from RECORD_COLUMNS, as text; the timestamp in ms since 1970."""
    return F.array(*_entries(_origin_values())).alias("headers")


def own_headers(metadata: Metadata | None) -> int:
    """Return the number of headers of a row with origin; those of the origin are first."""
    return len(_origin_values()) + len(_metadata_entries(metadata))


def _origin_entries(rows: DataFrame) -> list[Column]:
    return _entries(_origin_values()) if has_origin(rows) else []


def _metadata_entries(metadata: Metadata | None) -> list[Column]:
    """Return headers about the producer: host, application, schema and time."""
    if metadata is None:
        return []
    return _entries(
        {
            "producer.host": F.lit(socket.gethostname()),
            "producer.application": F.lit(metadata.application),
            "producer.schema": F.lit(metadata.schema),
            "producer.time": F.unix_millis(F.current_timestamp()),
        }
    )


def _origin_values() -> dict[str, Column]:
    return {
        "source.topic": F.col("_topic"),
        "source.partition": F.col("_partition"),
        "source.offset": F.col("_offset"),
        "source.timestamp": F.unix_millis("_timestamp"),
    }


def _entries(values: Mapping[str, Column]) -> list[Column]:
    return [
        F.struct(F.lit(name).alias("key"), value.cast("string").cast("binary").alias("value"))
        for name, value in values.items()
    ]


def archive_rows(rows: DataFrame, output: Output, source: Source) -> DataFrame:
    """Return the rows, with a ``date`` column if they are partitioned by it and have none.

    The date is that of the event time, or of the record if no field has the event time. Raises
    ValueError if the statement does not select that column.
    """
    if DATE not in output.partition_by or DATE in rows.columns:
        return rows
    column = source.event_time or RECORD_COLUMNS[3]
    if column not in rows.columns:
        raise ValueError(f"partitioned by date, but the statement has no {column} to derive it")
    return rows.withColumn(DATE, F.to_date(F.col(quote_name(column))))
