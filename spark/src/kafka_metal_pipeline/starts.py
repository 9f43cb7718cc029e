"""What the starts of a driver have come to, kept over its restarts until one runs."""

import json
import logging
from dataclasses import dataclass
from pathlib import Path

from kafka_metal_pipeline import plain_files

log = logging.getLogger(__name__)


@dataclass
class Starts:
    """How many starts in a row of one declaration ended before they ran, and why the last one did.

    ``file`` outlives a restart of the container; without one every start is the first.
    ``declaration`` is a digest: another declaration begins anew.
    """

    file: Path | None = None
    declaration: str = ""
    failed: int = 0
    error: str | None = None
    # Whether this start has ended, and would end the same way until somebody changes something.
    ended: bool = False
    refused: bool = False

    @classmethod
    def read(cls, file: Path | None, declaration: str) -> "Starts":
        """What the start before has left; none where that was of another declaration."""
        found = cls(file, declaration)
        try:
            left = plain_files.parsed(plain_files.text(file)) if file else {}
            if left.get("declaration") == declaration:
                found.failed, found.error = int(left["failed"]), str(left["error"])
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, AttributeError) as error:
            log.warning("%s is not read: %s", file, error)
        return found

    def fail(self, error: str, refused: bool = False) -> None:
        """This start ends with ``error``; what follows from the first one is no news."""
        if self.ended:
            return
        self.ended, self.refused = True, refused
        self.failed, self.error = self.failed + 1, error
        left = {"declaration": self.declaration, "failed": self.failed, "error": error}
        self._keep(json.dumps(left))

    def succeed(self) -> None:
        """This start runs: the ones before are history."""
        if self.failed:
            self.failed, self.error = 0, None
            self._keep(None)

    def _keep(self, text: str | None) -> None:
        if self.file is None:
            return
        try:
            if text is None:
                self.file.unlink(missing_ok=True)
            else:
                self.file.write_text(text, encoding="utf-8")
        except OSError as error:
            log.warning("%s is not written: %s", self.file, error)
