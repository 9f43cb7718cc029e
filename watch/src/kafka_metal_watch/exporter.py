"""The exporter's state of the cluster: parts that are read in threads of their own.

While a broker does not respond, requests to it wait until their time limit. Such a part delays no
other one.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from confluent_kafka import KafkaException

from ._problems.arrangement import places_of
from .cluster import Cluster
from .content import ContentReader
from .items import reason
from .metrics import ClusterState
from .operation import operation
from .reader import EVERY, GroupReader, Part, read_brokers
from .remote_reads import read_remote

LOG = logging.getLogger("kafka-metal-watch")
# Seconds between reads that are the first to tell of a fault, and need few requests. Above the time
# for which librdkafka caches coordinators.
FIRST_S = 5.0
BROKERS, PROMETHEUS = "brokers", "prometheus"
GROUPS, CONTENT, REMOTE = "groups", "content", "remote"
# Parts that cannot be read either while no broker responds.
BEHIND_BROKERS = (GROUPS, CONTENT)
PARTS = (BROKERS, PROMETHEUS, GROUPS, CONTENT, REMOTE)
# A part that follows another one at once would use a whole core.
SHORTEST_PAUSE_S = 1.0
UNREADABLE = ("cluster", EVERY)


class Exporter:
    """Reads the parts of the state; a part that cannot be read keeps its last values."""

    def __init__(self, config: Mapping[str, Any], cluster: Cluster) -> None:
        """``config``: the configuration of an exporter."""
        self._config = config
        self._cluster = cluster
        self._groups = GroupReader(cluster, config["exclude"])
        self._contents = ContentReader(cluster, config["operations"], config["cluster"])
        self._lock = threading.Lock()
        self._unread: dict[str, Mapping[tuple[str, str], str]] = {}
        self._state = ClusterState(
            pending=PARTS,
            warn_days=config["warn_days"],
            workers=config["workers"],
            places=places_of(config["places"]),
        )

    def state(self) -> ClusterState:
        """Return the last state."""
        return self._state

    def run(self, ended: threading.Event) -> None:
        """Read each part again and again until ``ended`` is set; wait for no read in progress."""
        interval = self._config["interval"]
        first = min(FIRST_S, interval)
        parts: dict[str, tuple[float, Callable[[], Part]]] = {
            BROKERS: (first, self.brokers),
            PROMETHEUS: (first, self.prometheus),
            GROUPS: (interval, self.groups),
            CONTENT: (interval, self.content),
            REMOTE: (interval, self.remote),
        }
        pool = ThreadPoolExecutor(len(parts), "part")
        running = [pool.submit(self._repeat, name, *each, ended) for name, each in parts.items()]
        for each in running:
            # A part with a fault of ours ends the process, which is started again.
            each.add_done_callback(lambda _: ended.set())
        ended.wait()
        # A read in progress may wait for its time limit.
        pool.shutdown(wait=False)
        for each in running:
            if each.done():
                each.result()

    def _repeat(
        self, name: str, interval: float, read: Callable[[], Part], ended: threading.Event
    ) -> None:
        while not ended.is_set():
            began = time.monotonic()
            self.publish(name, read())
            ended.wait(max(SHORTEST_PAUSE_S, began + interval - time.monotonic()))

    def publish(self, name: str, part: Part) -> None:
        """Merge a part into the state, and log what can no longer be read, or again."""
        with self._lock:
            self._unread[name] = part.unread
            # Without any broker, no part of the cluster can be read, which is one problem.
            missing = UNREADABLE in self._unread.get(BROKERS, {})
            unread = {
                where: why
                for each, own in sorted(self._unread.items())
                for where, why in own.items()
                if not (missing and each in BEHIND_BROKERS)
            }
            before = self._state.unread
            pending = tuple(each for each in PARTS if each not in self._unread)
            self._state = replace(self._state, **part.values, unread=unread, pending=pending)
        log_changes(before, unread)

    def brokers(self) -> Part:
        """Read brokers, topics, and the operation in progress."""
        current = operation(self._config["operations"], self._config["cluster"])
        try:
            found = read_brokers(self._cluster, time.time())
        except KafkaException as error:
            return Part({"operation": current}, {UNREADABLE: reason(error)})
        return Part({**found.values, "operation": current}, found.unread)

    def groups(self) -> Part:
        """Read the lag of consumer groups."""
        try:
            return self._groups.read(time.time())
        except KafkaException as error:
            return Part(unread={("groups", EVERY): reason(error)})

    def content(self) -> Part:
        """Compare the declared topics with those of the cluster."""
        try:
            # Old metadata would hide a deleted topic, and report a new one as missing.
            seen = self._cluster.overview()
        except KafkaException:
            # The read of brokers reports it.
            return Part(unread=self._contents.unread)
        return Part({"content": self._contents.read(seen)}, self._contents.unread)

    def remote(self) -> Part:
        """Read certificates, drivers and masters."""
        return _part({**self._config, "prometheus": ""}, "certificates", "pipelines", "masters")

    def prometheus(self) -> Part:
        """Read alerts, targets, rules and the engines' health checks from Prometheus."""
        others: dict[str, Any] = {"certificates": [], "pipelines": {}, "masters": {}}
        return _part({**self._config, **others}, "engines", "alerts", "targets", "rules")


def _part(config: Mapping[str, Any], *names: str) -> Part:
    """Read endpoints of a configuration; ``names`` of the values."""
    found = read_remote(config)
    return Part({name: getattr(found, name) for name in names}, found.unread)


def log_changes(before: Mapping[tuple[str, str], str], now: Mapping[tuple[str, str], str]) -> None:
    """Log what cannot be read since this read, or for a new reason, and what can be read again."""
    for (kind, name), why in sorted(now.items()):
        if before.get((kind, name)) != why:
            LOG.warning("cannot read %s %s: %s", kind, name, why)
    for kind, name in sorted(before.keys() - now.keys()):
        LOG.info("can read %s %s again", kind, name)
