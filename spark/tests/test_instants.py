"""Parsing of an instant's text equals Spark's own cast."""

from datetime import UTC, datetime
from typing import Any

import pytest
from kafka_metal_pipeline.ranges import cast
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

USUAL = "2026-05-01T11:59:59"
DAYS = ("0001-01-01", "1582-10-10", "1969-12-31", "2000-02-29", "2024-02-29", "9999-12-31")
NO_DAYS = ("0000-01-01", "1900-02-29", "2026-02-29", "2026-00-10", "2026-13-01", "2026-04-31")
CLOCKS = ("24:00:00", "23:60:00", "23:59:60", "1:02:03", "01:02", "-1:00:00")
# Suffixes after the seconds, in texts similar to the common form.
ENDS = [
    *("", "z", "ZZ", " Z", "Z ", ".5ZZ", ".5", ".-5Z", ".5 UTC+5Z", "+02:00", "-0:30"),
    *(" Europe/Vienna", "+01:0Z", "\u0665Z", ".\u0665Z", "x", "ZnonsenseZ", "\x00Z"),
    *(".5x", ".12", ".1234567x"),
    *(f".{'123456789'[:digits]}Z" for digits in range(10)),
]
TEXTS = [
    *(f"{day}T23:59:59Z" for day in (*DAYS, *NO_DAYS, "2026-04-00")),
    *(f"2026-05-01T{clock}Z" for clock in CLOCKS),
    *(f"{USUAL}{end}" for end in ENDS),
    *("2026-05-01 11:59:59Z", " 2026-05-01T11:59:59Z", "2026-5-1T11:59:59Z"),
    *("2026/05/01T11:59:59Z", "+2026-05-01T11:59:5Z", "12026-05-01T11:59:59Z"),
    *("2026-05-01t11:59:59Z", "2026-o5-01T11:59:59Z", "\u0662026-05-01T11:59:59Z"),
    *("2026-05-01", "2026-05-01Z", "T11:59:59Z", "now", "Z", ""),
]


def read(spark: SparkSession, texts: list[str]) -> list[tuple[str, Any, Any]]:
    """Each text with the results of our function and of Spark's cast, in microseconds."""
    rows = spark.createDataFrame([(text,) for text in texts], "text STRING")
    text = F.col("text")
    ours, sparks = cast(text), text.try_cast("timestamp")
    both = [F.unix_micros(ours).alias("ours"), F.unix_micros(sparks).alias("cast")]
    found = rows.select("text", *both)
    return [(row["text"], row["ours"], row["cast"]) for row in found.collect()]


def test_parsed_instants_equal_sparks_cast(spark: SparkSession) -> None:
    found = read(spark, TEXTS)
    assert [(text, ours) for text, ours, _ in found] == [(text, cast) for text, _, cast in found]


@pytest.mark.parametrize("fraction", ["", ".5", ".000001", ".999999"])
def test_common_form_is_parsed(spark: SparkSession, fraction: str) -> None:
    at = datetime(2026, 5, 1, 11, 59, 59, tzinfo=UTC)
    micros = int(at.timestamp()) * 1_000_000 + round(float(f"0{fraction or '.0'}") * 1_000_000)
    assert read(spark, [f"{USUAL}{fraction}Z"]) == [(f"{USUAL}{fraction}Z", micros, micros)]


def test_text_without_zone_has_the_session_zone(spark: SparkSession) -> None:
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        found = read(spark, [USUAL, f"{USUAL}Z"])
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    (_, local, by_cast), (_, in_utc, _) = found
    assert local == by_cast
    assert in_utc == local + 9 * 3_600_000_000


def test_null_text_is_null(spark: SparkSession) -> None:
    row = spark.range(1).select(cast(F.lit(None).cast("string")).alias("at")).first()
    assert row is not None
    assert row["at"] is None
