"""Files of this machine with changes that stay in memory: what a driver would make of them."""

from pathlib import Path

from kafka_metal_pipeline import wholeness
from kafka_metal_pipeline.local_files import LocalFiles, local


class Draft:
    """A ``Shelf`` over files that are only read, also while a driver writes them."""

    def __init__(self) -> None:
        """Nothing is written or removed yet."""
        self._files = LocalFiles()
        self._written: dict[Path, str] = {}
        self._removed: set[Path] = set()

    def names(self, directory: str) -> list[str]:
        """Names in a directory, sorted; none when there is no such directory."""
        root = local(directory)
        there = {name for name in self._files.names(directory) if not self._is_removed(root / name)}
        new = (path.relative_to(root) for path in self._written if root in path.parents)
        return sorted(there | {path.parts[0] for path in new})

    def files(self, directory: str) -> list[str]:
        """Paths of all files below a directory, relative to it, sorted."""
        root = local(directory)
        found = self._files.files(directory)
        there = {name for name in found if not self._is_removed(root / name)}
        new = (path.relative_to(root) for path in self._written if root in path.parents)
        return sorted(there | {path.as_posix() for path in new})

    def read(self, file: str) -> str | None:
        """The text of a file, or None when there is none."""
        path = local(file)
        if path in self._written:
            return self._written[path]
        return None if self._is_removed(path) else self._files.read(file)

    def write(self, file: str, text: str) -> None:
        """Keep a text as that of a file."""
        self._written[local(file)] = text

    def is_whole(self, file: str) -> bool:
        """Whether a file is as it was written; rows of a state without a checksum count as whole.

        A JVM would read them, and the driver has one.
        """
        path = local(file)
        return path in self._written or wholeness.is_whole(
            path, lambda _: wholeness.END_OF_ROWS, mend=False
        )

    def drop_orphans(self, directory: str) -> None:
        """Nothing: a checksum without its file hinders nobody here."""

    def move(self, file: str, target: str) -> None:
        """Forget a file: nobody asks here for what is moved on."""
        self.remove(file)

    def remove(self, place: str) -> None:
        """Take a file, or a directory and all below it, for removed."""
        path = local(place)
        self._removed.add(path)
        for each in [each for each in self._written if path in (each, *each.parents)]:
            del self._written[each]

    def _is_removed(self, path: Path) -> bool:
        return path not in self._written and any(
            each in self._removed for each in (path, *path.parents)
        )
