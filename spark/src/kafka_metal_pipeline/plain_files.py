"""Safe reading of checkpoint files: other users with write access may have replaced them."""

import json
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

# The largest valid file has the offsets of a batch: 2 MB for 100,000 partitions. Parsed JSON takes
# up to 20 times its length in memory, and a check may use 1 GB.
LIMIT = 16 * 1024**2


class PlantedError(OSError):
    """A file that is not from a driver; the message has path, what was found and a remedy."""


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; PlantedError for anything else. Never blocks."""
    # O_NONBLOCK: otherwise opening a pipe would wait for a writer.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise PlantedError(
            f"{path}: found no regular file; allowed: a regular file: find out where it is from, "
            "and move it away"
        )
    return os.fdopen(handle, "rb")


def read_content(path: Path) -> bytes:
    """Return a regular file's content; PlantedError if it is longer than LIMIT."""
    with open_regular(path) as stream:
        found = stream.read(LIMIT + 1)
        size = os.fstat(stream.fileno()).st_size
    if len(found) > LIMIT:
        raise PlantedError(
            f"{path}: found {size} bytes; allowed: at most {LIMIT}: find out where it is from, and "
            "restore the file from a backup"
        )
    return found


def read_text(path: Path) -> str:
    """Return a regular file's text; PlantedError as in ``read_content``."""
    return read_content(path).decode("utf-8")


def parse_json(text: str) -> Any:
    """Return a parsed JSON text; ValueError also if it is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("JSON that is nested too deeply") from error
