# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What connections to users, ACLs and quotas have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .._kafka.client import Connection

# ``client`` says that the library is missing.
with suppress(ImportError):
    from kafka.errors import for_code

# Users and quotas in one request: brokers write each of them on its own.
AT_ONCE = 100


def word_of(words: Mapping[str, int], number: int) -> str:
    """The word for a number of the protocol; an unknown one stays a number."""
    return next((word for word, each in words.items() if each == number), str(number))


def reason(code: int, message: str | None) -> str:
    """Kafka's words for a refusal."""
    return message or for_code(code).__name__


class ContentConnection(Connection):
    """A connection on which every request has ``timeout`` seconds of its own."""

    def __init__(self, servers: Sequence[str], config: Mapping[str, Any], timeout: float) -> None:
        """Find a broker that answers."""
        super().__init__(servers, config, timeout)
        self.timeout = timeout

    def send(self, what: str, request: Callable[[], Any], broker: int | None = None) -> Any:
        """The answer to a request, which is made anew each time it is asked."""
        manager = self.admin._manager

        def question() -> Any:
            return manager.run(manager.send, request(), broker)

        return self.ask(what, question)
