# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Connections to Kafka over kafka-python, with a deadline; no other module opens any."""

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
except ImportError as error:  # The module reports the missing library.
    MISSING = str(error)

from .._common.deadlines import Deadline, run_in_parallel
from .authentication import LoginError, check_access
from .endpoints import ClusterError, error_text

PAUSE = 0.1


class LastLogMessage(logging.Handler):
    """Keep the library's last warning for errors, and its log out of the module's output."""

    def __init__(self) -> None:
        """Handle warnings and errors."""
        super().__init__(logging.WARNING)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message in ``text``; it replaces the previous one."""
        self.text = record.getMessage()


def capture_log() -> LastLogMessage:
    """Redirect the log of kafka-python to a new handler and return it."""
    handler = LastLogMessage()
    logger = logging.getLogger("kafka")
    logger.handlers = [handler]
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    return handler


Self = TypeVar("Self", bound="Connection")


class Connection:
    """A connection to a cluster, limited by a deadline.

    Raises ClusterError if no bootstrap server responds within ``timeout`` seconds.
    """

    def __init__(self, servers: Sequence[str], config: Mapping[str, Any], timeout: float) -> None:
        """Connect to the first broker that responds."""
        self.log = capture_log()
        self.deadline = Deadline(timeout)
        self.config = dict(config)
        # After one hanging broker there must be time for others.
        self.request_timeout = timeout / 4
        self.admin = self.connect(self.accessible(servers))

    def __enter__(self: Self) -> Self:
        """Return the connection, which is already open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close within a second, even if a broker hangs."""
        run_in_parallel({"close": self.admin.close}, Deadline(1))

    def accessible(self, servers: Sequence[str]) -> list[str]:
        """Return the servers that accept this client; raises ClusterError if there are none.

        kafka-python would retry a wrong password or an untrusted certificate until the deadline,
        without reporting the reason.
        """
        if not servers:
            raise ClusterError("no bootstrap server is provided")
        if self.config.get("proxy_url"):
            return list(servers)
        checks = {
            server: partial(check_access, server, self.config, self.request_timeout)
            for server in servers
        }
        answers = run_in_parallel(checks, Deadline(self.request_timeout))
        for answer in answers.values():
            if isinstance(answer, ClusterError):
                raise answer
        found = [server for server in servers if answers[server] is None]
        if not found:
            reasons = "; ".join(f"{server}: {error_text(answers[server])}" for server in servers)
            rejected = any(isinstance(answer, LoginError) for answer in answers.values())
            what = "no broker accepts this client" if rejected else "no broker is reachable"
            raise ClusterError(f"{what}: {reasons}")
        return found

    def connect(self, servers: Sequence[str]) -> Any:
        """Return a client of the first server that responds as a broker."""
        reasons = []
        for position, server in enumerate(servers):
            share = self.deadline.left() / (len(servers) - position)
            self.log.text = ""
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
                reasons.append(f"{server}: {self.log.text or error_text(error)}")
        raise ClusterError(f"no broker responds: {'; '.join(reasons)}")

    def call(self, what: str, function: Callable[..., Any], *args: Any, **keys: Any) -> Any:
        """Return the result of ``function``, repeated after retriable errors.

        Raises ClusterError with ``what``, such as "reading quotas", at the deadline or after
        another error.
        """
        while True:
            try:
                return function(*args, **keys)
            except KafkaError as error:
                if not error.retriable or self.deadline.passed():
                    raise ClusterError(f"{what}: {error_text(error)}") from error
            except RuntimeError as error:
                # kafka-python raises it while the controller changes.
                if self.deadline.passed():
                    raise ClusterError(f"{what}: {error_text(error)}") from error
            # The client refreshes metadata in steps of its back-off; faster retries are useless.
            time.sleep(PAUSE)

    def known_brokers(self) -> list[int]:
        """Return the ids of the brokers that were registered when the connection was opened."""
        return sorted(broker.node_id for broker in self.admin._manager.cluster.brokers())

    def describe_topics(self, names: list[str] | None = None) -> list[dict[str, Any]]:
        """Return the metadata of the existing topics, read in one request, sorted by name."""
        topics = self.call("reading metadata of topics", self.admin.describe_topics, names)
        found = (topic for topic in topics if topic["error_code"] == 0)
        return sorted(found, key=lambda topic: str(topic["name"]))

    def server_timeout_ms(self) -> int:
        """Return the broker's time limit for a request in ms, 80 % of the client's."""
        return max(1, int(self.request_timeout * 800))
