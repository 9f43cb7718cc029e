"""Another declaration in the file of a running driver, and the schemas that it needs.

They are read before the queries of the running declaration stop: if no registry has them, those
queries continue.
"""

import logging
import threading
import time
from collections.abc import Callable

from kafka_metal_declarations.model import Declaration

from kafka_metal_pipeline.declared_file import DeclaredFile
from kafka_metal_pipeline.registry import UnusableSchemaError, WriterSchemas
from kafka_metal_pipeline.registry_requests import RegistryError
from kafka_metal_pipeline.status import Board

log = logging.getLogger(__name__)

# Seconds between two attempts to read the schemas.
PAUSE_S = 5.0


class Changes:
    """The file of a driver, seen from the declaration that runs."""

    def __init__(
        self,
        file: DeclaredFile,
        board: Board,
        read: Callable[[Declaration], WriterSchemas] = WriterSchemas,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the declaration of the file as the running one."""
        self._file, self._board, self._read, self._clock = file, board, read, clock
        self._running = file.digest
        # Whether the declaration in the file can replace the running one; set by ``refresh``.
        self.is_ready = False
        # Each with the digest of its declaration.
        self._found: tuple[str, WriterSchemas | None] = "", None
        self._error = "", ""
        self._next = 0.0
        self._worker: threading.Thread | None = None

    def begin(self) -> WriterSchemas | None:
        """Take the declaration of the file as the running one; return its schemas if known."""
        self._running, self.is_ready = self._file.digest, False
        digest, schemas = self._found
        self._found = "", None
        return schemas if digest == self._running else None

    def refresh(self) -> bool:
        """Read the file; set and return ``is_ready``. The board gets the reason if it is not."""
        file = self._file
        file.reload()
        is_other = file.digest != self._running
        if not is_other:
            # Schemas and errors of a declaration that was taken back are outdated when it returns.
            self._found, self._error = ("", None), ("", "")
        elif self._found[0] != file.digest:
            self._start_reading()
        digest, error = self._error
        self.is_ready = is_other and self._found[0] == file.digest
        waits = is_other and not self.is_ready and digest == file.digest and not file.error
        self._board.set_file(file.seen, error if waits else file.error, waits)
        return self.is_ready

    def _start_reading(self) -> None:
        """Read the schemas, in a thread: a request to a registry may time out after seconds."""
        digest, declaration = self._file.digest, self._file.declaration
        if declaration.source.registry is None:
            self._read_schemas(digest, declaration)
            return
        is_reading = self._worker is not None and self._worker.is_alive()
        if is_reading or (self._error[0] == digest and self._clock() < self._next):
            return
        arguments = (digest, declaration)
        self._worker = threading.Thread(target=self._read_schemas, args=arguments, daemon=True)
        self._worker.start()

    def _read_schemas(self, digest: str, declaration: Declaration) -> None:
        try:
            self._found = digest, self._read(declaration)
        except UnusableSchemaError:
            # The driver refuses the declaration, as one with invalid SQL.
            self._found = digest, None
        except Exception as error:
            # Any other one would end the thread without a reason or a pause.
            reason = str(error) if isinstance(error, RegistryError) else repr(error)
            if self._error != (digest, reason):
                log.error(
                    "pipeline %s: the running declaration continues: %s", declaration.name, reason
                )
            self._next = self._clock() + PAUSE_S
            self._error = digest, reason
