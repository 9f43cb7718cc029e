"""An operator's file as records: first validated as a whole, then read again and sent."""

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
    """A record to send and the line where it begins; the value is a JSON object in UTF-8."""

    line: int
    key: bytes | None
    value: bytes


@dataclass
class Check:
    """The result of a validation; ``columns`` maps each field to its SQL type.

    ``largest``: bytes (as a broker counts them) and line of the largest record.
    """

    records: int = 0
    columns: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    # Messages about values that may have been meant differently.
    hints: list[str] = field(default_factory=list)
    largest: tuple[int, int] = (0, 0)

    @property
    def full(self) -> bool:
        """Whether enough faults were found to stop reading."""
        return len(self.faults) >= FAULTS_SHOWN


class Reader(Protocol):
    """Reader of a file format; ``check`` has to pass before ``records`` is called."""

    def check(self) -> Check:
        """Validate the whole file; send nothing."""

    def records(self) -> Iterator[Record]:
        """Yield the records of a validated file."""


def find_format(path: Path) -> Format:
    """Return the format by the file name; ClientError if it is unknown."""
    found = file_format.find_format(path)
    if found is None:
        raise ClientError(
            f"{path}: unknown format; allowed are {file_format.ALLOWED}, or the option --format"
        )
    return found


def no_such_field(name: str, known: list[str]) -> str:
    """Return the message about a key field that a file does not have."""
    near = difflib.get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"it has: {', '.join(known)}"
    return f"the file has no field {name} to be the key; {hint}"


def too_large(check: Check, limit: Limit) -> Fault | None:
    """Return a fault if the largest record exceeds the topic's limit."""
    size, line = check.largest
    if size <= limit.size:
        return None
    whose = "max.message.bytes of the topic" if limit.from_topic else "Kafka's default"
    return Fault(line, 1, f"a record of {size:,} bytes", f"at most {limit.size:,} bytes ({whose})")
