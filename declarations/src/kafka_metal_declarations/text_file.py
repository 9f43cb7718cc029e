"""Lines of a text file, plain or gzip, in constant memory; faults have line and column."""

import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Kafka's default of socket.request.max.bytes, above which no broker accepts a record. Limits memory
# for files without line ends.
LONGEST_LINE = 100 * 1024 * 1024


@dataclass(eq=False)
class Fault(Exception):
    """An error in a file; line and column count from 1, in characters."""

    line: int
    column: int
    found: str
    allowed: str

    def __str__(self) -> str:
        """Return one message, without the file's name."""
        place = f"line {self.line}, column {self.column}"
        return f"{place}: found {self.found}; allowed is {self.allowed}"


def quote_shortened(text: str, longest: int = 40) -> str:
    """Return ``text`` shortened, with invisible characters escaped."""
    return repr(text if len(text) <= longest else text[:longest] + "…")


def lines(path: Path) -> Iterator[str]:
    """Yield all lines, each with its line end; Fault if the bytes are not UTF-8."""
    number = 0
    with path.open("rb") as plain:
        file = _unpacked(plain)
        while True:
            try:
                raw = file.readline(LONGEST_LINE + 1)
            except (OSError, EOFError, zlib.error) as error:
                found = f"damaged gzip data ({error})"
                raise Fault(number + 1, 1, found, "a complete gzip file") from error
            if not raw:
                return
            number += 1
            if number == 1:
                raw = raw.removeprefix(BYTE_ORDER_MARK)
            yield _decoded(raw, number)


def _unpacked(plain: BinaryIO) -> BinaryIO:
    packed = plain.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    plain.seek(0)
    return io.BufferedReader(gzip.GzipFile(fileobj=plain)) if packed else plain


def _decoded(raw: bytes, number: int) -> str:
    if len(raw) > LONGEST_LINE:
        raise Fault(
            number, LONGEST_LINE + 1, "no end of the line", f"at most {LONGEST_LINE:,} bytes"
        )
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        column = len(raw[: error.start].decode("utf-8")) + 1
        found = f"the byte 0x{raw[error.start]:02x}"
        raise Fault(number, column, found, "text in UTF-8") from error
