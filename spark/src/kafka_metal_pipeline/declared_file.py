"""The file with the declaration of a driver, which may change while the driver runs.

A change that needs no other session is applied at once, without a new JVM. The file is replaced as
a whole; an invalid one changes nothing.
"""

import hashlib
import logging
from collections.abc import Callable
from pathlib import Path

from kafka_metal_declarations.declared_site import session_values
from kafka_metal_declarations.keys import DeclarationError, Problem
from kafka_metal_declarations.model import Declaration
from kafka_metal_declarations.sample import SampleError

from kafka_metal_pipeline.status import Board

log = logging.getLogger(__name__)

NEW_DRIVER = "resources or settings of the site differ: only a new driver applies them"


class DeclaredFile:
    """The declaration that a driver runs, and the file that it is from."""

    def __init__(self, path: Path, load: Callable[[bytes], Declaration]) -> None:
        """Read the file; ``load`` returns the pipeline in its content.

        Raises DeclarationError or SampleError, as ``load``.
        """
        self._path, self._load = path, load
        try:
            content = path.read_bytes()
        except OSError as error:
            raise DeclarationError([Problem("", str(path), str(error), "a YAML file")]) from error
        # SHA-256 of the declaration that runs, and of the file when it was read last; empty for a
        # file that cannot be read.
        self.digest = self.seen = digest(content)
        self.declaration = load(content)
        # Why the driver does not run the declaration that is in the file now; empty if it does.
        self.error = ""

    def reload(self) -> bool:
        """Read the file again; return whether the driver has another declaration to run."""
        before = self.digest
        try:
            content = self._path.read_bytes()
            found = digest(content)
        except OSError as error:
            content, found, self.error = b"", "", str(error)
        if found == self.seen:
            return False
        self.seen = found
        if found:
            # The file may have been replaced again since: the digest is of what is parsed.
            self.error = self._take(content, found)
        if self.error:
            log.error("%s: the declaration is not applied: %s", self._path, self.error)
        return self.digest != before

    def _take(self, content: bytes, found: str) -> str:
        """Make the declaration in the content the current one; return why it cannot be."""
        if found == self.digest:
            return ""
        try:
            declaration = self._load(content)
        except (DeclarationError, SampleError) as error:
            return str(error)
        if session_values(declaration) != session_values(self.declaration):
            return NEW_DRIVER
        self.declaration, self.digest = declaration, found
        return ""


def digest(content: bytes) -> str:
    """Return the SHA-256 of a file's content."""
    return hashlib.sha256(content).hexdigest()


def has_changed(file: DeclaredFile, board: Board) -> bool:
    """Whether there is another declaration to run; the board gets the reason if it cannot be."""
    changed = file.reload()
    board.set_file(file.seen, file.error)
    return changed
