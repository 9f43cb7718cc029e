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
# Seconds that a request takes at most.
TIMEOUT = 5.0


class EngineError(Exception):
    """The engine refuses a request, or does not answer; the text says where and why."""


class NoAnswerError(EngineError):
    """The engine does not answer; ``reason`` is the system's word, such as C(timed out)."""

    def __init__(self, path: str, error: Exception) -> None:
        """What happened on the socket at ``path``."""
        self.reason = str(getattr(error, "strerror", None) or error or type(error).__name__)
        super().__init__(f"the engine does not answer on {path}: {self.reason}")


class _Connection(http.client.HTTPConnection):
    """HTTP over the engine's socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def get(path: str, question: str, timeout: float = TIMEOUT) -> bytes | None:
    """The answer to GET ``question``, None when the engine knows no such thing.

    ``path`` is the socket, ``timeout`` in seconds. Raises EngineError, or NoAnswerError.
    """
    return _send("GET", path, question, timeout)


def delete(path: str, question: str, timeout: float = TIMEOUT) -> None:
    """DELETE ``question``; nothing where it is gone. Raises as get()."""
    _send("DELETE", path, question, timeout)


def _send(method: str, path: str, question: str, timeout: float) -> bytes | None:
    connection = _Connection(path, timeout)
    try:
        connection.request(method, question)
        answer = connection.getresponse()
        content = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise NoAnswerError(path, error) from error
    finally:
        connection.close()
    if answer.status == 404:
        return None
    if answer.status not in (200, 204):
        raise EngineError(f"the engine refuses {question}: {content[:200]!r}")
    return content


def ask(path: str, question: str) -> Any:
    """The answer to GET ``question`` as Python values; None when the engine gives none."""
    try:
        return json.loads(get(path, question) or b"null")
    except (EngineError, ValueError):
        return None


def listing(label: str) -> str:
    """The question for all containers with this label, running or not."""
    return f"/containers/json?all=1&filters={quote(json.dumps({'label': [label]}))}"
