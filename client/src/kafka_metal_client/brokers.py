"""Connections to a cluster: settings, topics that have to be there, ranges of a log."""

import difflib
import logging
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kafka_metal_client.errors import ClientError
from kafka_metal_client.sizes import Limit

METADATA_SECONDS = 20
# A partition's end can step back for a moment after a change of leader: what is missing at the end
# of the log is only called missing after the log was quiet for this long.
QUIET_SECONDS = 5.0
BATCH = 5_000

# librdkafka reports each lost connection on standard error; faults are what these tools are for.
_quiet = logging.getLogger("kafka_metal_client.librdkafka")
_quiet.addHandler(logging.NullHandler())
_quiet.propagate = False

Config = dict[str, object]


def read_properties(path: Path) -> dict[str, str]:
    """Client settings (librdkafka's names) from ``key=value`` lines; ``#`` starts a comment."""
    settings = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        key, separator, value = text.partition("=")
        if not separator:
            raise ClientError(f"{path}, line {number}: found {text!r}, allowed is key=value")
        settings[key.strip()] = value.strip()
    return settings


def common_config(bootstrap: str, extra: Mapping[str, str]) -> Config:
    """What producers and consumers share; ``extra`` wins."""
    return {
        "bootstrap.servers": bootstrap,
        # Find a restarted broker within two seconds, not ten.
        "reconnect.backoff.max.ms": 2_000,
        "topic.metadata.refresh.interval.ms": 10_000,
        # A broker that is frozen or cut off from the others takes connections and answers nothing:
        # these, not the defaults of a minute, say how long a client stays with it.
        "socket.timeout.ms": 15_000,
        "socket.connection.setup.timeout.ms": 10_000,
        "socket.keepalive.enable": True,
        **extra,
    }


def quiet() -> logging.Logger:
    """Where clients log to."""
    return _quiet


def producer(
    bootstrap: str, extra: Mapping[str, str], delivery_timeout: float, limit: Limit | None = None
) -> Any:
    """An idempotent producer that waits for all in-sync replicas and outlives broker restarts.

    ``delivery_timeout``: seconds until a record that nobody acknowledges is given up. ``limit``:
    that of the topic, by which batches are sized.
    """
    from confluent_kafka import Producer

    return Producer(
        {
            "enable.idempotence": True,
            # With several, a broker that restarts has librdkafka begin a new epoch, and a record
            # that was written but not yet acknowledged is written again: its issue 4953.
            "max.in.flight.requests.per.connection": 1,
            "acks": "all",
            "message.timeout.ms": round(delivery_timeout * 1000),
            "request.timeout.ms": 10_000,
            "linger.ms": 5,
            "compression.type": "lz4",
            # The Java client's partitioner, so that a key meets its partition from any language.
            "partitioner": "murmur2_random",
            # During an outage new records wait outside, with a fresh event time, not in the queue.
            "queue.buffering.max.messages": 20_000,
            **(limit or Limit()).settings(),
            **common_config(bootstrap, extra),
        },
        logger=_quiet,
    )


def consumer(bootstrap: str, extra: Mapping[str, str]) -> Any:
    """A consumer that is assigned its partitions and commits nothing."""
    from confluent_kafka import Consumer

    return Consumer(
        {
            "group.id": "kafka-metal-client",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            # librdkafka's default of a second makes a fast reader wait most of the time.
            "fetch.queue.backoff.ms": 10,
            **common_config(bootstrap, extra),
        },
        logger=_quiet,
    )


def partitions_of(client: Any, topics: list[str]) -> dict[str, list[int]]:
    """Partitions of each topic; ClientError names an unreachable cluster or a missing topic."""
    from confluent_kafka import KafkaException

    try:
        # All topics are asked for: a request for one topic could create it.
        known = client.list_topics(timeout=METADATA_SECONDS).topics
    except KafkaException as error:
        raise ClientError(
            f"no broker answered within {METADATA_SECONDS} s: {error.args[0].str()}; "
            "check --bootstrap"
        ) from error
    for topic in topics:
        if topic not in known:
            raise ClientError(missing_topic(topic, list(known)))
    return {topic: sorted(known[topic].partitions) for topic in topics}


def since(reader: Any, partitions: Mapping[str, list[int]], time_ms: int) -> list[Any]:
    """Where partitions are read from, so that no record from ``time_ms`` on is missed.

    A partition without such a record is read from its end as it was before the question: its end
    when the reading begins may lie behind the first record that is wanted.
    """
    from confluent_kafka import TopicPartition

    every = [(topic, part) for topic, parts in partitions.items() for part in parts]
    ends = {
        place: reader.get_watermark_offsets(TopicPartition(*place), timeout=METADATA_SECONDS)[1]
        for place in every
    }
    found = reader.offsets_for_times(
        [TopicPartition(*place, time_ms) for place in every], timeout=METADATA_SECONDS
    )
    for place in found:
        if place.error is not None or place.offset < 0:
            place.offset = ends[place.topic, place.partition]
    return list(found)


def missing_topic(topic: str, known: list[str]) -> str:
    """The sentence about a topic that is not there, with the names that come near."""
    public = sorted(name for name in known if not name.startswith("__"))
    near = difflib.get_close_matches(topic, public, n=3)
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    elif public:
        more = f" and {len(public) - 10} more" if len(public) > 10 else ""
        hint = f"the cluster has: {', '.join(public[:10])}{more}"
    else:
        hint = "the cluster has no topics"
    return f"topic {topic} does not exist, and topics are made by declaration only; {hint}"


def header(message: Any, name: str) -> str | None:
    """The text of a record's header, or None."""
    for key, value in message.headers() or ():
        if key == name and value is not None:
            return bytes(value).decode("utf-8", "replace")
    return None


def read_ranges(
    reader: Any, topic: str, ranges: Mapping[int, tuple[int, int]], stall_timeout: float
) -> Iterator[Any]:
    """All records of a topic from the first to the last offset per partition, both included.

    Ends at the end of a log that is shorter than the range. ClientError after ``stall_timeout``
    seconds without a record.
    """
    from confluent_kafka import KafkaError, TopicPartition

    reader.assign([TopicPartition(topic, part, first) for part, (first, _) in ranges.items()])
    waiting = {part for part, (first, last) in ranges.items() if first <= last}
    at_end: set[int] = set()
    heard = time.monotonic()
    while waiting:
        for message in reader.consume(BATCH, timeout=0.5):
            part, error = message.partition(), message.error()
            if error is not None:
                if error.code() == KafkaError._PARTITION_EOF:
                    at_end.add(part)
                continue
            at_end.discard(part)
            heard = time.monotonic()
            last = ranges[part][1]
            if message.offset() <= last:
                yield message
            if message.offset() >= last and part in waiting:
                waiting.remove(part)
                reader.pause([TopicPartition(topic, part)])
        quiet = time.monotonic() - heard
        if waiting <= at_end and quiet > QUIET_SECONDS:
            return
        if quiet > stall_timeout:
            names = ", ".join(f"{topic}-{part}" for part in sorted(waiting))
            raise ClientError(f"nothing was readable for {stall_timeout:.0f} s from {names}")
