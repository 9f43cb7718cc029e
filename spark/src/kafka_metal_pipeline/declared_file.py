"""The file with the declaration of a driver, which may change while the driver runs.

A change that needs no other session is applied at once, without a new JVM. The file is replaced as
a whole; an invalid one changes nothing.
"""

import hashlib
import logging
from collections.abc import Callable
from pathlib import Path

from kafka_metal_declarations.declared_site import session_values
from kafka_metal_declarations.keys import DeclarationError
from kafka_metal_declarations.model import Declaration

log = logging.getLogger(__name__)

NEW_DRIVER = "resources or settings of the site differ: only a new driver applies them"


class DeclaredFile:
    """The declaration that a driver runs, and the file that it is from."""

    def __init__(self, path: Path, load: Callable[[], Declaration]) -> None:
        """Read the file; ``load`` returns its pipeline or raises DeclarationError."""
        self._path, self._load = path, load
        self.digest = self._seen = digest(path)
        self.declaration = load()
        # Why the driver does not run the declaration that is in the file now; empty if it does.
        self.error = ""

    def reload(self) -> bool:
        """Read the file again; return whether the driver has another declaration to run."""
        before = self.digest
        try:
            found = digest(self._path)
        except OSError as error:
            found, self.error = "", str(error)
        if found == self._seen:
            return False
        self._seen = found
        if found:
            self.error = self._take(found)
        if self.error:
            log.error("%s: the declaration is not applied: %s", self._path, self.error)
        return self.digest != before

    def _take(self, found: str) -> str:
        """Make the declaration in the file the current one; return why it cannot be."""
        if found == self.digest:
            return ""
        try:
            declaration = self._load()
        except DeclarationError as error:
            return str(error)
        if session_values(declaration) != session_values(self.declaration):
            return NEW_DRIVER
        self.declaration, self.digest = declaration, found
        return ""


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
