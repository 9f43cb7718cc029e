"""The state of a driver over HTTP.

``/`` and ``/status`` respond 200 with the state as JSON, whatever it is; ``/health`` responds 503
unless every query runs. ``/metrics`` has the state for Prometheus. Clients may have to
authenticate, as for Spark's pages.
"""

import contextlib
import hmac
import json
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from kafka_metal_declarations.declared_outputs import INVALID

from kafka_metal_pipeline import metrics
from kafka_metal_pipeline.counts import Counts, Records
from kafka_metal_pipeline.starts import FailedStarts

STARTING, RUNNING, STOPPING = "starting", "running", "stopping"
# At least one output does not run and is retried; the others run.
FAILING = "failing"
FINISHED, FAILED = "finished", "failed"
REQUEST_TIMEOUT_S = 10

# Progress of an output before its first batch.
NOTHING: dict[str, Any] = dict.fromkeys(
    (
        "batch",
        "input_rows",
        "rows_per_second",
        "lag",
        "batch_seconds",
        # Of the batch that runs now.
        "running_seconds",
        "updated",
        "watermark",
        "state_rows",
    )
)


UNTRIED: dict[str, Any] = {
    "input_rows_total": 0,
    "state": STARTING,
    "exception": None,
    "restarts": 0,
    "retry_at": None,
    "failed_at": None,
    "archive": None,
}


def _untried(outputs: list[str]) -> dict[str, dict[str, Any]]:
    return {output: {**NOTHING, **UNTRIED} for output in outputs}


class Board:
    """The state of the driver; written by its main thread, read by HTTP requests."""

    def __init__(self, name: str, outputs: list[str], starts: FailedStarts | None = None) -> None:
        """Start with the state ``starting``; ``outputs`` includes the invalid records."""
        self._starts = starts or FailedStarts()
        self._lock = threading.Lock()
        self._state = STARTING
        self._id: str | None = None
        self._name = name
        self._declaration_in_file, self._declaration_error = self._starts.declaration, ""
        self._declaration_waits = False
        self._started = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._counts = Counts()
        self._outputs = _untried(outputs)

    def begin(self, declaration: str, outputs: list[str]) -> None:
        """Start ``outputs`` of another declaration, by its digest; counts of records continue."""
        with self._lock:
            self._starts = FailedStarts.read(self._starts.file, declaration)
            self._state, self._outputs = STARTING, _untried(outputs)

    def set_file(self, declaration: str, error: str, waits: bool = False) -> None:
        """Set the digest of the file, and why the driver does not run it; empty if it does.

        ``waits``: it tries again by itself.
        """
        with self._lock:
            self._declaration_in_file, self._declaration_error = declaration, error
            self._declaration_waits = waits

    def set_state(self, state: str) -> None:
        """Set the state: starting, running, failing, stopping, finished or failed."""
        with self._lock:
            self._state = state
            if state == RUNNING:
                self._starts.succeed()

    def fail(self, error: str, refused: bool = False) -> None:
        """Record that the driver failed; ``refused``: every start would fail in the same way."""
        with self._lock:
            self._state = FAILED
            self._starts.fail(error, refused)

    def set_id(self, application: str) -> None:
        """Set the application's id on the Spark cluster."""
        with self._lock:
            self._id = application

    def set_output(self, output: str, progress: Mapping[str, Any]) -> None:
        """Update the progress and state of an output."""
        with self._lock:
            self._outputs[output] = {**self._outputs[output], **progress}

    def add_rows(self, output: str, rows: int) -> None:
        """Add records that batches of an output have read."""
        with self._lock:
            self._outputs[output]["input_rows_total"] += rows

    def add_records(self, records: Records) -> None:
        """Add records that the pipeline has validated; see ``counts``."""
        with self._lock:
            self._counts.add(records)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as served.

        ``last_error`` is that of the last failed start, None after a successful one;
        ``failed_starts`` counts consecutive ones. ``records``: {read, invalid, reason} since the
        driver's start, where reason is that of the newest invalid record or empty, and ``recent``:
        {seconds, read, invalid} for the last five minutes. None for a pipeline without a topic of
        invalid records: all of its records are accepted. ``declaration``: SHA-256 of the file with
        the declaration that runs. ``declaration_in_file``: that of the file when it was read last,
        empty if it cannot be read. ``declaration_error``: why the driver does not run that one,
        empty if it does; ``declaration_waits``: whether it tries again, without a restart.

        Of each output: ``planned_seconds``, for which a batch is planned, ``failed_at``, when it
        last failed (ISO 8601), and ``archive``: {files, missing, first} of its archive, None until
        it has been compared; see ``archive_check``.
        """
        with self._lock:
            return {
                "name": self._name,
                "id": self._id,
                "state": self._state,
                "last_error": self._starts.error,
                "failed_starts": self._starts.failed,
                "refused": self._starts.refused,
                "declaration": self._starts.declaration,
                "declaration_in_file": self._declaration_in_file,
                "declaration_error": self._declaration_error,
                "declaration_waits": self._declaration_waits,
                "records": self._counts.snapshot() if INVALID in self._outputs else None,
                "outputs": {name: dict(output) for name, output in self._outputs.items()},
                "started": self._started,
            }


def serve(board: Board, endpoint: str, credentials_file: Path | None = None) -> ThreadingHTTPServer:
    """Serve ``HOST:PORT`` in a thread; OSError if the port is in use.

    ``credentials_file`` has name:password in base64 (RFC 7617), which clients must send. It is
    read for every request, so a new password is effective at once. None: no authentication.
    """
    host, _, port = endpoint.rpartition(":")
    attributes = {"board": board, "credentials_file": credentials_file}
    handler = type("Handler", (_Handler,), attributes)
    server = ThreadingHTTPServer((host.strip("[]"), int(port)), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="status", daemon=True).start()
    return server


class _Handler(BaseHTTPRequestHandler):
    board: Board
    credentials_file: Path | None
    timeout = REQUEST_TIMEOUT_S

    def do_GET(self) -> None:
        """Respond with the state."""
        if self.credentials_file and not self._is_authenticated(self.credentials_file):
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="kafka-metal"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path = self.path.partition("?")[0].rstrip("/")
        if path not in ("", "/status", "/health", "/metrics"):
            self.send_error(404, "the paths are /, /health and /metrics")
            return
        snapshot = self.board.snapshot()
        healthy = path != "/health" or snapshot["state"] == RUNNING
        kind, body = "application/json", json.dumps(snapshot)
        if path == "/metrics":
            kind, body = metrics.CONTENT_TYPE, metrics.render(snapshot)
        # A health check may close the connection after the status code.
        with contextlib.suppress(ConnectionError):
            self._respond(200 if healthy else 503, kind, body.encode())

    def _is_authenticated(self, credentials_file: Path) -> bool:
        try:
            credentials = credentials_file.read_bytes().strip()
        except OSError:
            return False
        sent = self.headers.get("Authorization", "").encode()
        return bool(credentials) and hmac.compare_digest(sent, b"Basic " + credentials)

    def _respond(self, code: int, kind: str, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base's name
        """Log nothing: health checks every few seconds would fill the log."""
