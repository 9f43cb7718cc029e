"""Files of a checkpoint are read with care: who may write there may have put anything there."""

import json
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

# The longest honest file has the offsets of a batch: 2 MB for 100,000 partitions. JSON takes up to
# twenty times its length in memory, and a check has 1 GB.
LIMIT = 16 * 1024**2


class PlantedError(OSError):
    """A file that nothing of ours has written; the message has its path, what it is and a way."""


def opened(path: Path) -> BinaryIO:
    """A regular file, open for reading; raises PlantedError for anything else, never waits."""
    # Without O_NONBLOCK to open a pipe waits until somebody writes.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise PlantedError(
            f"{path}: found no regular file; allowed: a regular file: find out who put it there, "
            "and move it away"
        )
    return os.fdopen(handle, "rb")


def content(path: Path) -> bytes:
    """All of a regular file; raises PlantedError where it is longer than LIMIT."""
    with opened(path) as stream:
        found = stream.read(LIMIT + 1)
        size = os.fstat(stream.fileno()).st_size
    if len(found) > LIMIT:
        raise PlantedError(
            f"{path}: found {size} bytes; allowed: at most {LIMIT}: find out who wrote it, and "
            "bring the file back from a copy"
        )
    return found


def text(path: Path) -> str:
    """The text of a regular file; raises PlantedError as ``content`` does."""
    return content(path).decode("utf-8")


def parsed(words: str) -> Any:
    """What a JSON text holds; raises ValueError also where it is nested too deeply to be ours."""
    try:
        return json.loads(words)
    except RecursionError as error:
        raise ValueError("JSON that is nested too deeply") from error
