"""Patterns of the values in a declaration, each with the text for the error message."""

import re

from kafka_metal_declarations.keys import HIGHEST_NUMBER
from kafka_metal_declarations.model import AVAILABLE_NOW, REAL_TIME

NAME = r"[A-Za-z][A-Za-z0-9_-]{0,62}"
ALLOWED_NAME = "letters, digits, _ and -, from a letter on, at most 63"

TOPIC = r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}"
ALLOWED_TOPIC = "a topic: letters, digits, '.', '_' and '-', at most 249"

PATH = r"(?!.*(^|/)\.{1,2}(/|$))[A-Za-z0-9][A-Za-z0-9._/=-]*"
ALLOWED_PATH = "a relative path without '..', below the archive's root"

UNITS_MS = {
    "millisecond": 1,
    "second": 1_000,
    "minute": 60_000,
    "hour": 3_600_000,
    "day": 86_400_000,
}
# Spark counts microseconds in 64 bits, enough for 8 digits of days.
DURATION = r"[1-9][0-9]{0,7} (millisecond|second|minute|hour|day)s?"
ALLOWED_DURATION = "a time as '1 second' or '10 minutes', its number at most 99999999"

TRIGGER = rf"{DURATION}|{AVAILABLE_NOW}"
ALLOWED_TRIGGER = f"{ALLOWED_DURATION}, or {AVAILABLE_NOW} to stop after the stored records"

# Only of a single output: the other outputs stay in batch mode.
OUTPUT_TRIGGER = rf"{TRIGGER}|{REAL_TIME}"
ALLOWED_OUTPUT_TRIGGER = f"{ALLOWED_TRIGGER}, or {REAL_TIME}"

# Spark stores an executor's memory as MiB in 31 bits.
MEMORY = r"[1-9][0-9]{0,9}k|[1-9][0-9]{0,6}m|[1-9][0-9]{0,3}g|[1-9]t"
ALLOWED_MEMORY = "memory as 768m or 2g, at most 9999999999k, 9999999m, 9999g or 9t"

# Kafka's partition numbers are signed 32-bit, its offsets 64-bit integers.
HIGHEST_PARTITION = 2**31 - 1
ALLOWED_PLACES = (
    "offsets as {payments: {0: 120, 1: 95}}, by topic and partition, "
    f"partitions up to {HIGHEST_PARTITION} and offsets up to {HIGHEST_NUMBER}"
)

HIGHEST_PORT = 65535
PORT = r"(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})"
ALLOWED_PORT = f"a port from 1 to {HIGHEST_PORT}"

URL = rf"https?://[^\s/:]+(:{PORT})?(/\S*)?"
ALLOWED_URL = f"an http or https URL, such as a registry's /apis/ccompat/v7, {ALLOWED_PORT}"

# Databases change the case of unquoted names, each in its own way.
TABLE = r"[a-z_][a-z0-9_]{0,47}(\.[a-z_][a-z0-9_]{0,47})?"
ALLOWED_TABLE = "a table: lower-case letters, digits and _, at most 48, a schema and '.' before"

# Reasons why a record is invalid, other than a violated rule.
REASONS = (
    "tombstone",
    "empty",
    "not_utf8",
    "malformed",
    "trailing_garbage",
    "not_an_object",
    "duplicate_key",
    "wrong_type",
    "out_of_range",
    "missing_field",
    "unknown_schema",
)


def milliseconds(duration: str) -> int:
    """Return a DURATION in milliseconds; 0 if the text is not a duration."""
    if not re.fullmatch(DURATION, duration):
        return 0
    number, unit = duration.split()
    return int(number) * UNITS_MS[unit.removesuffix("s")]
