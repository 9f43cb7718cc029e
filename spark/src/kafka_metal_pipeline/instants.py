"""Times in records: ISO 8601 text, or whole seconds since 1970.

Spark's own parsers take more: a number of any size as seconds, so that milliseconds become the year
57971 and move every watermark there for good; "12:30" as today; "2026" as New Year. One such
record would be accepted, and end every window.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F

# Seconds of 0001-01-01 and 9999-12-31: what ISO 8601 writes with four digits. Milliseconds since
# 1970 lie beyond it from January 1978 on.
EARLIEST_S = -62_135_596_800
LATEST_S = 253_402_300_799

# "2026-", the first five characters of a date.
_DATE = r"substr({text}, 5, 1) = '-'"


def to_instant(text: Column) -> Column:
    """The time, or null when the text is none, or none in the years 1 to 9999."""
    seconds = text.try_cast("bigint")
    written = F.when(F.substring(text, 5, 1) == "-", text.try_cast("timestamp"))
    return written.when(
        seconds.between(EARLIEST_S, LATEST_S), F.timestamp_seconds(seconds)
    )


def is_number(text: Column) -> Column:
    """Whether the text is a number, which then is out of range when it gives no time."""
    return text.try_cast("double").isNotNull()
