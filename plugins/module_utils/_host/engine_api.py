# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Requests to the container engine of a machine, over its socket.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import http.client
import json
import socket
from typing import Any
from urllib.parse import quote

SOCKET = "/var/run/docker.sock"
# Seconds for a request.
TIMEOUT = 5.0


class EngineError(Exception):
    """The engine rejects a request or does not respond; the text has the place and the reason."""


class NoResponseError(EngineError):
    """The engine does not respond; ``reason`` is the system's error, such as C(timed out)."""

    def __init__(self, path: str, error: Exception) -> None:
        """Name the socket ``path`` and the error."""
        self.reason = str(getattr(error, "strerror", None) or error or type(error).__name__)
        super().__init__(f"the engine does not respond on {path}: {self.reason}")


class _Connection(http.client.HTTPConnection):
    """HTTP over the engine's socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def get(path: str, request: str, timeout: float = TIMEOUT) -> bytes | None:
    """Return the response to GET ``request``; None if the object does not exist (404).

    ``path`` is the socket, ``timeout`` in seconds. Raises EngineError, or NoResponseError.
    """
    return _send("GET", path, request, timeout)


def delete(path: str, request: str, timeout: float = TIMEOUT) -> None:
    """Send DELETE ``request``; no error if the object does not exist. Raises as get()."""
    _send("DELETE", path, request, timeout)


def _send(method: str, path: str, request: str, timeout: float) -> bytes | None:
    connection = _Connection(path, timeout)
    try:
        connection.request(method, request)
        response = connection.getresponse()
        content = response.read()
    except (OSError, http.client.HTTPException) as error:
        raise NoResponseError(path, error) from error
    finally:
        connection.close()
    if response.status == 404:
        return None
    if response.status not in (200, 204):
        raise EngineError(f"the engine rejects {request}: {content[:200]!r}")
    return content


def get_json(path: str, request: str) -> Any:
    """Return the JSON response to GET ``request``; None without a valid response."""
    try:
        return json.loads(get(path, request) or b"null")
    except (EngineError, ValueError):
        return None


def list_request(label: str) -> str:
    """Return the request for all containers with a label, running or not."""
    return f"/containers/json?all=1&filters={quote(json.dumps({'label': [label]}))}"
