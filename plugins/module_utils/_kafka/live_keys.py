# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Broker settings that Kafka changes without a restart; no I/O."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .._common.properties_file import as_text

# Keys that Kafka 3.8 and 3.9 can change (kafka.server.DynamicBrokerConfig), with descriptions.
# Listeners, keystores, logins and classes are excluded: they need more than a new value.
LIVE_KEYS: Mapping[str, str] = {
    "background.threads": "threads for background work; at most twice, at least half at a time",
    "compression.gzip.level": "level of gzip where the broker compresses",
    "compression.lz4.level": "level of lz4 where the broker compresses",
    "compression.type": "compression of topics that set none",
    "compression.zstd.level": "level of zstd where the broker compresses",
    "log.cleaner.backoff.ms": "pause of the cleaner when there is nothing to clean",
    "log.cleaner.dedupe.buffer.size": "memory of all cleaner threads for keys",
    "log.cleaner.delete.retention.ms": "how long a compacted topic keeps deletions",
    "log.cleaner.io.buffer.load.factor": "how full the cleaner's memory may get",
    "log.cleaner.io.buffer.size": "memory of all cleaner threads for input and output",
    "log.cleaner.io.max.bytes.per.second": "speed limit of the cleaner",
    "log.cleaner.max.compaction.lag.ms": "longest time a record stays uncompacted",
    "log.cleaner.min.cleanable.ratio": "share of a log that must be dirty to clean it",
    "log.cleaner.min.compaction.lag.ms": "shortest time a record stays uncompacted",
    "log.cleaner.threads": "threads of the cleaner; at most twice, at least half at a time",
    "log.cleanup.policy": "delete, compact or both, for topics that set none",
    "log.flush.interval.messages": "records between two flushes",
    "log.flush.interval.ms": "time between two flushes",
    "log.index.interval.bytes": "bytes between two entries of an index",
    "log.index.size.max.bytes": "size of an index",
    "log.local.retention.bytes": "size of the local part of a tiered partition",
    "log.local.retention.ms": "age of the local part of a tiered partition",
    "log.message.downconversion.enable": "whether old consumers are served",
    "log.message.timestamp.after.max.ms": "how far ahead a record's time may be",
    "log.message.timestamp.before.max.ms": "how far back a record's time may be",
    "log.message.timestamp.difference.max.ms": "both limits in one key, deprecated",
    "log.message.timestamp.type": "time of creation or of arrival",
    "log.preallocate": "whether a segment's file is created in full size",
    "log.retention.bytes": "size of a partition, for topics that set none",
    "log.retention.ms": "age of records, for topics that set none",
    "log.roll.jitter.ms": "spread of log.roll.ms",
    "log.roll.ms": "age of a segment, for topics that set none",
    "log.segment.bytes": "size of a segment, for topics that set none",
    "log.segment.delete.delay.ms": "how long a deleted segment's file stays",
    "max.connection.creation.rate": "new connections a second",
    "max.connections": "connections of the broker",
    "max.connections.per.ip": "connections of one address",
    "max.connections.per.ip.overrides": "connections of single addresses, by address",
    "message.max.bytes": "size of a batch, for topics that set none",
    "min.insync.replicas": "copies an acknowledgement needs, for topics that set none",
    "num.io.threads": "threads that serve requests; at most twice, at least half at a time",
    "num.network.threads": "threads of each listener; at most twice, at least half at a time",
    "num.recovery.threads.per.data.dir": "threads for recovery; at most twice, at least half",
    "num.replica.fetchers": "threads per source broker; at most twice, at least half at a time",
    "producer.id.expiration.ms": "how long an idle producer's sequence is remembered",
    "remote.fetch.max.wait.ms": "time limit of a fetch from tiered storage",
    "remote.log.index.file.cache.total.size.bytes": "disk space for indexes of tiered segments",
    "remote.log.manager.copy.max.bytes.per.second": "speed limit of copies to tiered storage",
    "remote.log.manager.fetch.max.bytes.per.second": "speed limit of reads of tiered storage",
    "transaction.partition.verification.enable": "whether a transaction's partitions are checked",
    "unclean.leader.election.enable": "whether a replica out of sync may lead, losing records",
}
# Connection limits of one listener, which have no default.
LISTENER_KEY = re.compile(
    r"listener\.name\.[a-z0-9._-]+\.(max\.connections|max\.connection\.creation\.rate)"
)
# Kafka's value for "no limit".
UNLIMITED = 2**31 - 1
# Keys whose default comes from a key in another unit, with the factor between the units.
OTHER_UNITS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "log.flush.interval.ms": (("log.flush.scheduler.interval.ms", 1),),
    "log.retention.ms": (("log.retention.minutes", 60_000), ("log.retention.hours", 3_600_000)),
    "log.roll.jitter.ms": (("log.roll.jitter.hours", 3_600_000),),
    "log.roll.ms": (("log.roll.hours", 3_600_000),),
}


def is_live(key: str) -> bool:
    """Whether a running broker can change ``key``."""
    return key in LIVE_KEYS or LISTENER_KEY.fullmatch(key) is not None


def split_by_restart(properties: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the properties that need a restart, and those that do not."""
    static = {key: value for key, value in properties.items() if not is_live(key)}
    return static, {key: value for key, value in properties.items() if is_live(key)}


def live_texts(properties: Mapping[str, Any]) -> dict[str, str]:
    """Return the live part of ``properties`` as text for Kafka; values of None are omitted."""
    _, live = split_by_restart(properties)
    return {key: as_text(key, value) for key, value in live.items() if value is not None}
