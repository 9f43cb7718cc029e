"""Files of this machine beside checkpoints and archives, as ``storage`` has those of any other."""

import re
import shutil
from pathlib import Path

from kafka_metal_pipeline import plain_files, wholeness


class LocalFiles:
    """Files of this machine, for commands that need no Spark."""

    def names(self, directory: str) -> list[str]:
        """Names in a directory, sorted; none when there is no such directory."""
        path = local(directory)
        return sorted(each.name for each in path.iterdir()) if path.is_dir() else []

    def read(self, file: str) -> str | None:
        """The text of a file, or None when there is none; see ``plain_files`` for what may be."""
        try:
            return plain_files.text(local(file))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write(self, file: str, text: str) -> None:
        """Write or replace a file as a whole, and the directories above it."""
        path = local(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.new")
        part.write_text(text, encoding="utf-8")
        part.replace(path)

    def is_whole(self, file: str) -> bool:
        """Whether a file of a checkpoint is as it was written; see ``wholeness``."""
        return wholeness.is_whole(local(file), self._unpack)

    def drop_orphans(self, directory: str) -> None:
        """Remove checksums of files that are gone: Spark could not write these files again."""
        for sums in local(directory).rglob(".*.crc"):
            if not sums.with_name(sums.name[1:].removesuffix(".crc")).exists():
                sums.unlink(missing_ok=True)

    @staticmethod
    def _unpack(_: Path) -> bytes:
        # Without a JVM nothing reads the rows of a state: its checksum is all there is.
        return b""

    def files(self, directory: str) -> list[str]:
        """Paths of all files below a directory, relative to it, sorted."""
        root = local(directory)
        found = (path for path in root.rglob("*") if path.is_file())
        return sorted(path.relative_to(root).as_posix() for path in found)

    def move(self, file: str, target: str) -> None:
        """Move a file, and make the directories above its new place."""
        path, place = local(file), local(target)
        if place.exists():
            path.unlink()
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        path.rename(place)

    def remove(self, place: str) -> None:
        """Remove a file, or a directory and all below it; that there is none is fine."""
        path = local(place)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        if path.is_file():
            path.unlink()
        else:
            shutil.rmtree(path, ignore_errors=True)


def is_local(file: str) -> bool:
    """Whether a place is a path of this machine."""
    return file.startswith(("/", "file:"))


def local(file: str) -> Path:
    """The path that a place on this machine is."""
    return Path(re.sub(r"^file:/*", "/", file))
