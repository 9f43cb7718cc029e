# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Base class of the connections that read and change users, ACLs and quotas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .._kafka.client import Connection

# ``client.MISSING`` reports a missing library.
with suppress(ImportError):
    from kafka.errors import for_code

# Users or quotas in one request; brokers write each of them separately.
PER_REQUEST = 100


def code_name(codes: Mapping[str, int], code: int) -> str:
    """Return the name of a protocol code, or the number itself if it is unknown."""
    return next((name for name, each in codes.items() if each == code), str(code))


def error_reason(code: int, message: str | None) -> str:
    """Return Kafka's error message, or the name of the error."""
    return message or for_code(code).__name__


class ContentConnection(Connection):
    """A connection with a limit of ``timeout`` seconds for each request."""

    def __init__(self, servers: Sequence[str], config: Mapping[str, Any], timeout: float) -> None:
        """Connect to the first broker that responds."""
        super().__init__(servers, config, timeout)
        self.timeout = timeout

    def send(self, what: str, request: Callable[[], Any], broker: int | None = None) -> Any:
        """Return the response to a request; ``request`` builds it anew for each attempt."""
        manager = self.admin._manager

        def attempt() -> Any:
            return manager.run(manager.send, request(), broker)

        return self.call(what, attempt)
