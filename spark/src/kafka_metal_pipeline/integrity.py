"""Integrity of checkpoint files: whether a file is as written, or was truncated by a crash.

Spark cannot start from a checkpoint with an empty or truncated file, and does not repair it. On a
local disk each file has Hadoop's checksum in ``.NAME.crc``, which a crash can truncate as well. If
so, the file's format is verified instead, and the checksum removed, as files may have none.
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
# Delta or snapshot of a state by version; the other two are RocksDB's.
STATE_FILE = re.compile(r"(\d+)(?:_[\w-]+)?\.(delta|snapshot|changelog|zip)")
# The end of a state file: -1 instead of the next key's length.
END_OF_ROWS = b"\xff" * 4
PIECE = 1024**2
FITS, DIFFERS, UNKNOWN = "fits", "differs", "unknown"

# Returns the last bytes of a decompressed state file; raises if it is unreadable.
Unpack = Callable[[Path], bytes]


def checksum(file: Path) -> str:
    """Compare a file with its checksum; UNKNOWN if that is missing or truncated.

    Reads piece by piece: a state file may be larger than memory.
    """
    try:
        sums = plain_files.open_regular(file.with_name(f".{file.name}.crc"))
    except (FileNotFoundError, plain_files.PlantedError):
        return UNKNOWN
    with sums, plain_files.open_regular(file) as content:
        head = sums.read(8)
        if len(head) < 8 or head[:4] != HEAD:
            return UNKNOWN
        (size,) = struct.unpack(">i", head[4:])
        length = os.fstat(content.fileno()).st_size
        parts = -(-length // size) if size > 0 else -1
        if os.fstat(sums.fileno()).st_size != 8 + 4 * parts:
            # Either the file or its checksum is truncated.
            return UNKNOWN
        fits = all(_is_expected(content, size, sums.read(4)) for _ in range(parts))
    return FITS if fits else DIFFERS


def _is_expected(content: BinaryIO, size: int, expected: bytes) -> bool:
    own = 0
    while size > 0 and (piece := content.read(min(size, PIECE))):
        own, size = zlib.crc32(piece, own), size - len(piece)
    return expected == struct.pack(">I", own)


def is_intact(file: Path, unpack: Unpack, repair: bool = True) -> bool:
    """Whether a file is intact; ``repair`` removes a checksum that is unusable."""
    if not file.stat().st_size:
        return False
    found = checksum(file)
    if found != UNKNOWN:
        return found == FITS
    if not _is_whole_by_form(file, unpack):
        return False
    if repair:
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    return True


def is_log(text: str, least: int = 1) -> bool:
    """Whether a text is a complete log or metadata file of Spark: JSON lines after a version.

    ``least`` is the minimum number of lines without the version.
    """
    lines = text.lstrip("\0").strip().splitlines()
    if lines and re.fullmatch(r"v\d+", lines[0]):
        lines = lines[1:]
    return len(lines) >= least and all(line == "-" or _is_json(line) for line in lines)


def _is_whole_by_form(file: Path, unpack: Unpack) -> bool:
    if file.suffix in (".zip", ".changelog"):
        # Their format is not verified without a checksum.
        return True
    if STATE_FILE.fullmatch(file.name):
        try:
            return unpack(file) == END_OF_ROWS
        except Exception:
            # Any error of the codec means that the file is damaged.
            return False
    try:
        text = plain_files.read_text(file)
    except UnicodeDecodeError:
        return False
    # An offsets file has a line about the batch and one per source.
    return is_log(text, 2 if file.parent.name == "offsets" else 1)


def _is_json(line: str) -> bool:
    try:
        plain_files.parse_json(line)
    except ValueError:
        return False
    return True
