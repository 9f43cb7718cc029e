"""Local files of checkpoints and archives; ``storage`` supports other file systems too."""

import re
import shutil
from pathlib import Path

from kafka_metal_pipeline import integrity, plain_files


class LocalFiles:
    """Local files, for commands that run without Spark."""

    def names(self, directory: str) -> list[str]:
        """Return the names in a directory, sorted; none if it does not exist."""
        path = local_path(directory)
        return sorted(each.name for each in path.iterdir()) if path.is_dir() else []

    def read(self, file: str) -> str | None:
        """Return the text of a file, None if it does not exist; limits: see ``plain_files``."""
        try:
            return plain_files.read_text(local_path(file))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write(self, file: str, text: str) -> None:
        """Write or replace a file atomically, creating its directories."""
        path = local_path(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.new")
        part.write_text(text, encoding="utf-8")
        part.replace(path)

    def size(self, file: str) -> int | None:
        """Return the bytes of a file, None if it does not exist."""
        try:
            return local_path(file).stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            return None

    def is_intact(self, file: str) -> bool:
        """Whether a file of a checkpoint is intact; see ``integrity``."""
        return integrity.is_intact(local_path(file), self._unpack)

    def drop_orphans(self, directory: str) -> None:
        """Remove checksums of missing files: Spark could not create these files otherwise."""
        for sums in local_path(directory).rglob(".*.crc"):
            if not sums.with_name(sums.name[1:].removesuffix(".crc")).exists():
                sums.unlink(missing_ok=True)

    @staticmethod
    def _unpack(_: Path) -> bytes:
        # State rows cannot be read without a JVM: only their checksum is verified.
        return b""

    def files(self, directory: str) -> list[str]:
        """Return the relative paths of all files below a directory, sorted."""
        root = local_path(directory)
        found = (path for path in root.rglob("*") if path.is_file())
        return sorted(path.relative_to(root).as_posix() for path in found)

    def move(self, file: str, target: str) -> None:
        """Move a file, creating its new directories; if the target exists, delete the source."""
        path, place = local_path(file), local_path(target)
        if place.exists():
            path.unlink()
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        path.rename(place)

    def remove(self, place: str) -> None:
        """Remove a file or a directory tree, if it exists."""
        path = local_path(place)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        if path.is_file():
            path.unlink()
        else:
            shutil.rmtree(path, ignore_errors=True)


def is_local(file: str) -> bool:
    """Whether a location is on a local file system."""
    return file.startswith(("/", "file:"))


def local_path(file: str) -> Path:
    """Return the path of a local location."""
    return Path(re.sub(r"^file:/*", "/", file))
