"""Lists of the files that an archive consists of, by the batches that wrote them.

``_files/<number>.json`` has the files of BATCHES batches: path below the archive, bytes and rows.
Batches that an earlier release wrote have no lists.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from kafka_metal_pipeline.plain_files import parse_json
from kafka_metal_pipeline.storage import Files

log = logging.getLogger(__name__)

LISTS = "_files"
# Each batch rewrites the newest list, so it stays small; fewer batches would mean more files.
BATCHES = 200
# Text file in the archive with paths, one a line, that were removed on purpose.
REMOVED = "_removed"


@dataclass(frozen=True, slots=True)
class File:
    """Bytes and rows of a file."""

    size: int
    rows: int


def to_text(files: Mapping[str, File]) -> str:
    """Return a list as stored text."""
    return json.dumps({name: asdict(file) for name, file in files.items()}, separators=(",", ":"))


def if_whole(text: str | None) -> dict[str, File] | None:
    """Parse a stored list; None if there is none or it is truncated."""
    try:
        found = parse_json(text or "")
        return {name: File(int(each["size"]), int(each["rows"])) for name, each in found.items()}
    except (AttributeError, ValueError, KeyError, TypeError):
        return None


class ArchiveLists:
    """The lists of one archive."""

    def __init__(self, files: Files, location: str) -> None:
        """``location`` is the folder of the archive."""
        self._files, self._location = files, location

    def add(self, batch: int, written: Mapping[str, File]) -> None:
        """Add the files of a batch; repeating it changes nothing."""
        number = batch // BATCHES
        self._files.write(self._path(number), to_text(self.read(number) | dict(written)))

    def numbers(self) -> list[int]:
        """Return the numbers of the lists, newest first."""
        names = (name.removesuffix(".json") for name in self._files.names(self._path(None)))
        return sorted((int(name) for name in names if name.isdecimal()), reverse=True)

    def read(self, number: int) -> dict[str, File]:
        """Return the files of a list; none if it is missing, or if a crash has truncated it."""
        text = self._files.read(self._path(number))
        found = if_whole(text)
        if text is not None and found is None:
            log.warning("%s was truncated: its files are not compared", self._path(number))
        return found or {}

    def removed(self) -> tuple[str, ...]:
        """Return the paths of files and folders that were removed on purpose."""
        lines = (self._files.read(f"{self._location}/{REMOVED}") or "").splitlines()
        return tuple(path for line in lines if (path := line.strip().strip("/")))

    def _path(self, number: int | None) -> str:
        folder = f"{self._location}/{LISTS}"
        return folder if number is None else f"{folder}/{number}.json"
