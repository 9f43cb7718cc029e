"""Local files with an in-memory overlay of changes, for checks that must not write."""

from pathlib import Path

from kafka_metal_pipeline import integrity
from kafka_metal_pipeline.local_files import LocalFiles, local_path


class OverlayFiles:
    """A ``FileStore`` that reads local files and keeps all changes in memory."""

    def __init__(self) -> None:
        """Start without changes."""
        self._files = LocalFiles()
        self._written: dict[Path, str] = {}
        self._removed: set[Path] = set()

    def names(self, directory: str) -> list[str]:
        """Return the names in a directory, sorted; none if it does not exist."""
        root = local_path(directory)
        kept = {name for name in self._files.names(directory) if not self._is_removed(root / name)}
        new = (path.relative_to(root) for path in self._written if root in path.parents)
        return sorted(kept | {path.parts[0] for path in new})

    def files(self, directory: str) -> list[str]:
        """Return the relative paths of all files below a directory, sorted."""
        root = local_path(directory)
        found = self._files.files(directory)
        kept = {name for name in found if not self._is_removed(root / name)}
        new = (path.relative_to(root) for path in self._written if root in path.parents)
        return sorted(kept | {path.as_posix() for path in new})

    def read(self, file: str) -> str | None:
        """Return the text of a file, None if it does not exist."""
        path = local_path(file)
        if path in self._written:
            return self._written[path]
        return None if self._is_removed(path) else self._files.read(file)

    def write(self, file: str, text: str) -> None:
        """Keep the new text of a file in memory."""
        self._written[local_path(file)] = text

    def is_intact(self, file: str) -> bool:
        """Whether a file is intact; state files without a checksum are assumed to be.

        Reading them needs a JVM; the driver checks them.
        """
        path = local_path(file)
        return path in self._written or integrity.is_intact(
            path, lambda _: integrity.END_OF_ROWS, repair=False
        )

    def drop_orphans(self, directory: str) -> None:
        """Do nothing: orphaned checksums do not affect the checks."""

    def move(self, file: str, target: str) -> None:
        """Remove a file: no check reads it at its target."""
        self.remove(file)

    def remove(self, place: str) -> None:
        """Mark a file, or a directory and all below it, as removed."""
        path = local_path(place)
        self._removed.add(path)
        for each in [each for each in self._written if path in (each, *each.parents)]:
            del self._written[each]

    def _is_removed(self, path: Path) -> bool:
        return path not in self._written and any(
            each in self._removed for each in (path, *path.parents)
        )
