"""Whether a file of a checkpoint is whole: as it was written, and not cut by a crash.

Spark starts from no checkpoint in which a file is empty or cut, and nothing else notices. On a
local disk each file has Hadoop's checksum in ``.NAME.crc``, which a crash can cut as well: then
the file's own form counts, and the checksum is removed, as a file may be without one.
"""

import os
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from kafka_metal_pipeline import plain_files

HEAD = b"crc\0"
# Rows of a state by version, or all of them; with RocksDB under other names.
STATE_FILE = re.compile(r"(\d+)(?:_[\w-]+)?\.(delta|snapshot|changelog|zip)")
# Behind the last row of a state stands -1 in place of a key's length.
END_OF_ROWS = b"\xff" * 4
PIECE = 1024**2
FITS, DIFFERS, UNKNOWN = "fits", "differs", "unknown"

# The last bytes of a state's file once it is unpacked; raises where it cannot be.
Unpack = Callable[[Path], bytes]


def checksum(file: Path) -> str:
    """Whether a file is what its checksum is of; UNKNOWN where that is missing or cut itself.

    A state may be larger than memory: no more than a part of it is read at a time.
    """
    try:
        sums = plain_files.opened(file.with_name(f".{file.name}.crc"))
    except (FileNotFoundError, plain_files.PlantedError):
        return UNKNOWN
    with sums, plain_files.opened(file) as content:
        head = sums.read(8)
        if len(head) < 8 or head[:4] != HEAD:
            return UNKNOWN
        (size,) = struct.unpack(">i", head[4:])
        length = os.fstat(content.fileno()).st_size
        parts = -(-length // size) if size > 0 else -1
        if os.fstat(sums.fileno()).st_size != 8 + 4 * parts:
            # One of the two is cut, and nobody knows which.
            return UNKNOWN
        fits = all(_fits(content, size, sums.read(4)) for _ in range(parts))
    return FITS if fits else DIFFERS


def _fits(content: BinaryIO, size: int, told: bytes) -> bool:
    own = 0
    while size > 0 and (piece := content.read(min(size, PIECE))):
        own, size = zlib.crc32(piece, own), size - len(piece)
    return told == struct.pack(">I", own)


def is_whole(file: Path, unpack: Unpack, mend: bool = True) -> bool:
    """Whether a file is whole; ``mend`` removes a checksum that is not."""
    if not file.stat().st_size:
        return False
    found = checksum(file)
    if found != UNKNOWN:
        return found == FITS
    if not _is_whole_by_form(file, unpack):
        return False
    if mend:
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    return True


def is_log(text: str, least: int = 1) -> bool:
    """Whether a text is a whole file of Spark's logs, or its metadata: JSON after a version.

    ``least`` is the number of its lines without the version.
    """
    lines = text.lstrip("\0").strip().splitlines()
    if lines and re.fullmatch(r"v\d+", lines[0]):
        lines = lines[1:]
    return len(lines) >= least and all(line == "-" or _is_json(line) for line in lines)


def _is_whole_by_form(file: Path, unpack: Unpack) -> bool:
    if file.suffix in (".zip", ".changelog"):
        # Only the checksum tells.
        return True
    if STATE_FILE.fullmatch(file.name):
        try:
            return unpack(file) == END_OF_ROWS
        except Exception:
            # Whatever the codec says of what it cannot read.
            return False
    try:
        text = plain_files.text(file)
    except UnicodeDecodeError:
        return False
    # A batch has a line about itself, and one for each source.
    return is_log(text, 2 if file.parent.name == "offsets" else 1)


def _is_json(line: str) -> bool:
    try:
        plain_files.parsed(line)
    except ValueError:
        return False
    return True
