# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The one place that opens connections to Kafka: bulk questions over kafka-python, in good time."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

try:
    from kafka.admin import KafkaAdminClient
    from kafka.errors import KafkaError

    MISSING = ""
except ImportError as error:  # The module says which library is missing, and where.
    MISSING = str(error)

from .._common.deadlines import Deadline, side_by_side
from .authentication import LoginError, knock
from .endpoints import ClusterError, words_of

PAUSE = 0.1


class LastWords(logging.Handler):
    """Keeps the library's log away from a module's output, and its last complaint for errors."""

    def __init__(self) -> None:
        """Listen to warnings and worse."""
        super().__init__(logging.WARNING)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Remember the complaint."""
        self.text = record.getMessage()


def quiet() -> LastWords:
    """Take over kafka-python's log."""
    words = LastWords()
    logger = logging.getLogger("kafka")
    logger.handlers = [words]
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    return words


Self = TypeVar("Self", bound="Connection")


class Connection:
    """A connection to a cluster that never waits longer than its deadline.

    Raises ClusterError when no bootstrap server answers within ``timeout`` seconds.
    """

    def __init__(self, servers: Sequence[str], config: Mapping[str, Any], timeout: float) -> None:
        """Find a broker that answers."""
        self.words = quiet()
        self.deadline = Deadline(timeout)
        self.config = dict(config)
        # A broker that hangs must leave time to ask another.
        self.request_timeout = timeout / 4
        self.admin = self.connect(self.listening(servers))

    def __enter__(self: Self) -> Self:
        """Nothing more to open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close without waiting for a broker that hangs."""
        side_by_side({"close": self.admin.close}, Deadline(1))

    def listening(self, servers: Sequence[str]) -> list[str]:
        """Servers that let us in, so that others cost no time below.

        The library would try a wrong password, or a certificate that is not trusted, until time is
        up, and would not say what it was.
        """
        if not servers:
            raise ClusterError("no bootstrap server is given")
        if self.config.get("proxy_url"):
            return list(servers)
        questions = {
            server: partial(knock, server, self.config, self.request_timeout) for server in servers
        }
        answers = side_by_side(questions, Deadline(self.request_timeout))
        for answer in answers.values():
            if isinstance(answer, ClusterError):
                raise answer
        found = [server for server in servers if answers[server] is None]
        if not found:
            reasons = "; ".join(f"{server}: {words_of(answers[server])}" for server in servers)
            closed = any(isinstance(answer, LoginError) for answer in answers.values())
            what = "lets this client in" if closed else "listens"
            raise ClusterError(f"no broker {what}: {reasons}")
        return found

    def connect(self, servers: Sequence[str]) -> Any:
        """A client of the first server that answers as a broker."""
        reasons = []
        for position, server in enumerate(servers):
            share = self.deadline.left() / (len(servers) - position)
            self.words.text = ""
            try:
                return KafkaAdminClient(
                    **{
                        "bootstrap_servers": [server],
                        "client_id": "kafka-metal",
                        "bootstrap_timeout_ms": max(1, int(share * 1000)),
                        "request_timeout_ms": max(1, int(self.request_timeout * 1000)),
                        "reconnect_backoff_max_ms": 500,
                        **self.config,
                    }
                )
            except (KafkaError, OSError, ValueError) as error:
                reasons.append(f"{server}: {self.words.text or words_of(error)}")
        raise ClusterError(f"no broker answers: {'; '.join(reasons)}")

    def ask(self, what: str, question: Callable[..., Any], *args: Any, **keys: Any) -> Any:
        """The answer to ``question``, asked again while brokers change places.

        Raises ClusterError, which names ``what`` was asked for, at the deadline or at a refusal.
        """
        while True:
            try:
                return question(*args, **keys)
            except KafkaError as error:
                if not error.retriable or self.deadline.passed():
                    raise ClusterError(f"{what}: {words_of(error)}") from error
            except RuntimeError as error:
                # What kafka-python raises while the controller moves.
                if self.deadline.passed():
                    raise ClusterError(f"{what}: {words_of(error)}") from error
            # Metadata of a client is refreshed in steps of its back-off; asking faster is no use.
            time.sleep(PAUSE)

    def known_brokers(self) -> list[int]:
        """Ids of the brokers that were registered when the connection was made."""
        return sorted(broker.node_id for broker in self.admin._manager.cluster.brokers())

    def describe_topics(self, names: list[str] | None = None) -> list[dict[str, Any]]:
        """Metadata of the topics that exist, in one request, ordered by name."""
        topics = self.ask("metadata of topics", self.admin.describe_topics, names)
        found = (topic for topic in topics if topic["error_code"] == 0)
        return sorted(found, key=lambda topic: str(topic["name"]))

    def server_timeout_ms(self) -> int:
        """How long a broker may take, less than this side waits for its answer."""
        return max(1, int(self.request_timeout * 800))
