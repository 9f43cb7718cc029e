"""Manage scratch topics of a cluster with kafka-python."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence, Tuple

from kafka.admin import KafkaAdminClient, NewTopic
from kafka.errors import KafkaError

PREFIX = "benchmark-"
STEP = 0.2


class AdminError(RuntimeError):
    """The cluster does not reach the required state; the message names what is missing."""


class Admin:
    """Admin requests to one cluster; only for topics named benchmark-*."""

    def __init__(self, bootstrap: Sequence[str], access: str = "", timeout: float = 90) -> None:
        """Store the connection settings without connecting.

        ``access``: directory with ``client.json`` for kafka-python and ``client.properties`` for
        Kafka's tools; empty for a cluster without authentication.
        """
        # Retries while brokers start are expected; errors are raised anyway.
        logging.getLogger("kafka").setLevel(logging.CRITICAL)
        self.bootstrap = list(bootstrap)
        self.timeout = timeout
        self.properties = f"{access}/client.properties" if access else ""
        self.settings: Dict[str, Any] = {}
        if access:
            text = Path(access, "client.json").read_text(encoding="utf-8")
            self.settings = json.loads(text)["client_config"]

    def wait_for_brokers(self, count: int, check: Callable[[], Any] = lambda: None) -> None:
        """Wait until ``count`` brokers are registered; ``check`` raises if they cannot start."""
        deadline, found = time.monotonic() + self.timeout, "no broker responds"
        while time.monotonic() < deadline:
            check()
            try:
                brokers = self._describe()
            except (KafkaError, OSError, ValueError) as error:
                found = str(error) or type(error).__name__
            else:
                if brokers >= count:
                    return
                found = f"{brokers} of {count} brokers are registered"
            time.sleep(STEP)
        raise AdminError(f"{found} after {self.timeout:g} s at {', '.join(self.bootstrap)}")

    def _client(self) -> Any:
        return KafkaAdminClient(
            bootstrap_servers=self.bootstrap,
            client_id="kafka-metal-benchmark",
            bootstrap_timeout_ms=3000,
            request_timeout_ms=15000,
            reconnect_backoff_max_ms=500,
            **self.settings,
        )

    def _describe(self) -> int:
        client = self._client()
        try:
            return len(client.describe_cluster()["brokers"])
        finally:
            client.close()

    def create(self, topic: str, partitions: int, replicas: int, config: Dict[str, str]) -> None:
        """Create a topic and wait until every replica of every partition is in sync."""
        self._check_name(topic)
        deadline, found = time.monotonic() + self.timeout, ""
        while time.monotonic() < deadline:
            try:
                ready = self._created(topic, partitions, replicas, config)
            except (KafkaError, OSError, ValueError) as error:
                # A newly registered broker may not listen yet.
                found = str(error) or type(error).__name__
            else:
                if ready == partitions:
                    return
                found = f"{ready} of {partitions} partitions are in sync"
            time.sleep(STEP)
        raise AdminError(f"{topic}: {found} after {self.timeout:g} s")

    def _created(self, topic: str, partitions: int, replicas: int, config: Dict[str, str]) -> int:
        """Create a topic if it is missing; return the number of its fully replicated partitions."""
        client = self._client()
        try:
            found = [each for each in client.describe_topics() if each["name"] == topic]
            if not found:
                new = NewTopic(topic, partitions, replicas, topic_configs=dict(config))
                client.create_topics([new], timeout_ms=15000)
                return 0
            return sum(len(part["isr_nodes"]) == replicas for part in found[0]["partitions"])
        finally:
            client.close()

    def delete(self, topics: Sequence[str]) -> None:
        """Delete topics; each name must have the prefix of scratch topics."""
        for topic in topics:
            self._check_name(topic)
        if topics:
            client = self._client()
            try:
                client.delete_topics(list(topics), timeout_ms=15000)
            finally:
                client.close()

    def clear(self) -> None:
        """Delete remaining topics and consumer groups of a benchmark."""
        self.delete(self.scratch_topics())
        client = self._client()
        try:
            groups = sorted(group["group_id"] for group in client.list_groups())
            ours = [name for name in groups if name.startswith(PREFIX)]
            if ours:
                client.delete_groups(ours)
        finally:
            client.close()

    def scratch_topics(self) -> List[str]:
        """Return the names in the cluster that have the prefix of scratch topics, sorted."""
        client = self._client()
        try:
            names = [str(topic["name"]) for topic in client.describe_topics()]
        finally:
            client.close()
        return sorted(name for name in names if name.startswith(PREFIX))

    @staticmethod
    def _check_name(topic: str) -> None:
        if not topic.startswith(PREFIX):
            raise AdminError(f"{topic!r} is not a scratch topic: the name must start with {PREFIX}")


def parse_bootstrap(text: str) -> Tuple[str, ...]:
    """Return host:port,host:port as a tuple."""
    return tuple(part for part in text.split(",") if part)
