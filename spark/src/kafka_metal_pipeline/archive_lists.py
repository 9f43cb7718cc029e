"""Lists of the files that an archive consists of, by the batches that wrote them.

``_files/<number>.json`` has files of successive batches: path below the archive, bytes and rows.
The next list begins after BATCHES batches, or earlier if one has more than FILES files. Batches
that an earlier release wrote have no lists.
"""

import fnmatch
import json
import logging
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath

from kafka_metal_pipeline.plain_files import parse_json
from kafka_metal_pipeline.storage import Files

log = logging.getLogger(__name__)

LISTS = "_files"
# Each batch rewrites the newest list, so it stays small; smaller lists would mean more of them.
BATCHES = 200
FILES = 5_000
# Text file in the archive with paths or patterns, one a line, that were removed on purpose.
REMOVED = "_removed"


@dataclass(frozen=True, slots=True)
class File:
    """Bytes and rows of a file."""

    size: int
    rows: int


@dataclass(frozen=True, slots=True)
class Removed:
    """Paths below the archive that were removed on purpose; ``globs`` match their patterns."""

    paths: frozenset[str]
    globs: re.Pattern[str] | None

    def covers(self, name: str) -> bool:
        """Whether a file or one of its folders was removed."""
        # The last parent is the archive itself.
        places = [name, *(str(each) for each in list(PurePosixPath(name).parents)[:-1])]
        return any(
            place in self.paths or (self.globs and self.globs.match(place)) for place in places
        )


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
        # Only this process adds lists; the folder is listed once.
        self._newest: int | None = None

    def add(self, batch: int, written: Mapping[str, File]) -> None:
        """Add the files of a batch; repeating the last batch changes nothing."""
        if self._newest is None:
            self._newest = max(self.numbers(), default=0)
        listed = self.read(self._newest)
        if written.items() <= listed.items():
            return
        # The numbers of an archive with large batches are ahead of its batches.
        following = batch // BATCHES
        if len(listed) > FILES:
            following = max(following, self._newest + 1)
        if following > self._newest:
            self._newest, listed = following, {}
        self._files.write(self._path(self._newest), to_text(listed | dict(written)))

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

    def removed(self) -> Removed:
        """Return the files and folders that were removed on purpose."""
        lines = (self._files.read(f"{self._location}/{REMOVED}") or "").splitlines()
        paths = {path for line in lines if (path := line.strip().strip("/"))}
        globs = [fnmatch.translate(path) for path in sorted(paths) if any(c in path for c in "*?[")]
        return Removed(frozenset(paths), re.compile("|".join(globs)) if globs else None)

    def _path(self, number: int | None) -> str:
        folder = f"{self._location}/{LISTS}"
        return folder if number is None else f"{folder}/{number}.json"
