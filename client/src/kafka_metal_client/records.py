"""A person's file as records: validated as a whole first, then read again to be sent."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from kafka_metal_declarations import file_format
from kafka_metal_declarations.file_format import Format
from kafka_metal_declarations.text_file import Fault

from kafka_metal_client.errors import ClientError
from kafka_metal_client.sizes import Limit

FAULTS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Record:
    """One record to send and the line it begins in; value is a JSON object in UTF-8."""

    line: int
    key: bytes | None
    value: bytes


@dataclass
class Check:
    """What the validation found; ``columns`` maps each field to its type in SQL.

    ``largest`` is the record that is the largest to a broker: its bytes and its line.
    """

    records: int = 0
    columns: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    # What a person may have meant otherwise, in messages.
    hints: list[str] = field(default_factory=list)
    largest: tuple[int, int] = (0, 0)

    @property
    def full(self) -> bool:
        """Whether enough faults are known to stop looking."""
        return len(self.faults) >= FAULTS_SHOWN


class Reader(Protocol):
    """A format; ``check`` reads the whole file and sends nothing, ``records`` relies on it."""

    def check(self) -> Check:
        """Validate the whole file."""

    def records(self) -> Iterator[Record]:
        """The records of a file that was checked."""


def format_of(path: Path) -> Format:
    """The format that the name tells."""
    found = file_format.format_of(path)
    if found is None:
        raise ClientError(
            f"{path}: the name does not tell the format; allowed are {file_format.ALLOWED}, "
            "or the option --format"
        )
    return found


def no_such_field(name: str, known: list[str]) -> str:
    """The sentence about a key field that a file does not have."""
    near = difflib.get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"it has: {', '.join(known)}"
    return f"the file has no field {name} to be the key; {hint}"


def too_large(check: Check, limit: Limit) -> Fault | None:
    """The fault of a file with a record that the topic does not take."""
    size, line = check.largest
    if size <= limit.size:
        return None
    whose = "max.message.bytes of the topic" if limit.asked else "Kafka's default"
    return Fault(line, 1, f"a record of {size:,} bytes", f"at most {limit.size:,} bytes ({whose})")
