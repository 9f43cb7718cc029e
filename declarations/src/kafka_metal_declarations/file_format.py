"""The format of a data file, derived from its name."""

from dataclasses import dataclass
from pathlib import Path

CSV, JSON_LINES = "csv", "jsonl"
ALLOWED = ".csv, .tsv, .jsonl, .ndjson and .json, each also with .gz"


@dataclass(frozen=True, slots=True)
class Format:
    """``name`` is CSV or JSON_LINES; ``delimiter`` separates the columns of a CSV."""

    name: str
    delimiter: str = ","


_BY_SUFFIX = {
    ".csv": Format(CSV),
    ".tsv": Format(CSV, "\t"),
    ".jsonl": Format(JSON_LINES),
    ".ndjson": Format(JSON_LINES),
    ".json": Format(JSON_LINES),
}


def find_format(path: Path) -> Format | None:
    """Return the format by a file's suffix, in any case; None if the suffix is unknown."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    return _BY_SUFFIX.get(suffixes[-1]) if suffixes else None


def parse_delimiter(value: object) -> str:
    """Return the delimiter for a character or ``tab``; ValueError for anything else."""
    character = {"\\t": "\t", "tab": "\t"}.get(str(value), value)
    if not isinstance(character, str) or len(character) != 1 or character in '"\r\n':
        raise ValueError(f"found {value!r}; allowed is one character, or tab")
    return character
