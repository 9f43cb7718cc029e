"""Failed starts of a driver, stored across restarts until a start succeeds."""

import json
import logging
from dataclasses import dataclass
from pathlib import Path

from kafka_metal_pipeline import plain_files

log = logging.getLogger(__name__)


@dataclass
class FailedStarts:
    """Number of consecutive failed starts of a declaration, and the last error.

    ``file`` survives a restart of the container; without it every start is the first.
    ``declaration`` is a digest: for another declaration counting starts again.
    """

    file: Path | None = None
    declaration: str = ""
    failed: int = 0
    error: str | None = None
    # Whether this start has failed, and whether it would fail again without a change.
    ended: bool = False
    refused: bool = False
    # Whether the file has failures, of this declaration or of another one.
    stored: bool = False

    @classmethod
    def read(cls, file: Path | None, declaration: str) -> "FailedStarts":
        """Return the stored failures; none if they are of another declaration."""
        found = cls(file, declaration)
        try:
            left = plain_files.parse_json(plain_files.read_text(file)) if file else {}
            found.stored = bool(left)
            if left.get("declaration") == declaration:
                found.failed, found.error = int(left["failed"]), str(left["error"])
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, AttributeError) as error:
            log.warning("%s cannot be read: %s", file, error)
        return found

    def fail(self, error: str, refused: bool = False) -> None:
        """Record that this start failed with ``error``; later errors of it are ignored."""
        if self.ended:
            return
        self.ended, self.refused = True, refused
        self.failed, self.error = self.failed + 1, error
        left = {"declaration": self.declaration, "failed": self.failed, "error": error}
        self._keep(json.dumps(left))

    def succeed(self) -> None:
        """Record that this start succeeded: earlier failures are deleted.

        Also those of another declaration: its next ones do not follow them.
        """
        if self.failed or self.stored:
            self.failed, self.error, self.stored = 0, None, False
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
            log.warning("%s cannot be written: %s", self.file, error)
