"""The words a declaration may use, and how they are told to someone who used another."""

import re

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
DURATION = r"[1-9]\d* (millisecond|second|minute|hour|day)s?"
ALLOWED_DURATION = "a time as '1 second' or '10 minutes'"

TRIGGER = rf"{DURATION}|{AVAILABLE_NOW}"
ALLOWED_TRIGGER = f"{ALLOWED_DURATION}, or {AVAILABLE_NOW} to stop after what is there"

# Of an output alone: who reads in batches beside it goes on doing so.
OUTPUT_TRIGGER = rf"{TRIGGER}|{REAL_TIME}"
ALLOWED_OUTPUT_TRIGGER = f"{ALLOWED_TRIGGER}, or {REAL_TIME}"

MEMORY = r"[1-9]\d*[kmgt]"
ALLOWED_MEMORY = "memory as 768m or 2g"

ALLOWED_PLACES = "offsets as {payments: {0: 120, 1: 95}}, by topic and partition"

URL = r"https?://[^\s/:]+(:\d{1,5})?(/\S*)?"
ALLOWED_URL = "a URL of http or https, as that of a registry's /apis/ccompat/v7"

# Databases fold the case of names that are not quoted, each its own way.
TABLE = r"[a-z_][a-z0-9_]{0,47}(\.[a-z_][a-z0-9_]{0,47})?"
ALLOWED_TABLE = "a table: lower-case letters, digits and _, at most 48, a schema and '.' before"

# Why a record is invalid when no rule says so.
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
    """Length of a DURATION; 0 of what is none."""
    if not re.fullmatch(DURATION, duration):
        return 0
    number, unit = duration.split()
    return int(number) * UNITS_MS[unit.removesuffix("s")]
