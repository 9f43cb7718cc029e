"""Connections to a cluster: client settings, checks of topics, reads of offset ranges."""

import difflib
import logging
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kafka_metal_client.errors import ClientError
from kafka_metal_client.sizes import Limit
from kafka_metal_client.stop_signal import Stop

METADATA_SECONDS = 20
# A partition's end can move back briefly after a change of leader: records at the end of the log
# count as missing only after this many seconds without a new record.
QUIET_SECONDS = 5.0
BATCH = 5_000
# Until then after its start a producer keeps the records of a topic that a broker without metadata
# calls unknown. Later it gives up those in flight, which may be written. At most 2,147: librdkafka
# computes microseconds in 32 bits, and allows 3,600.
PROPAGATION_SECONDS = 2_000
# Records in the queue of a producer. It is short, so that waiting records get a current event time.
QUEUE_RECORDS = 20_000

# Without this handler librdkafka prints every lost connection on standard error.
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
    """Return settings common to producers and consumers; ``extra`` takes precedence."""
    return {
        "bootstrap.servers": bootstrap,
        # Reconnect to a restarted broker within 2 s; librdkafka's default is 10 s.
        "reconnect.backoff.max.ms": 2_000,
        "topic.metadata.refresh.interval.ms": 10_000,
        # A frozen or partitioned broker accepts connections and does not respond. These limits
        # replace librdkafka's defaults of 60 s and 30 s.
        "socket.timeout.ms": 15_000,
        "socket.connection.setup.timeout.ms": 10_000,
        "socket.keepalive.enable": True,
        **extra,
    }


def client_of(kind: Any, settings: Config) -> Any:
    """Return a client of this class; ClientError if librdkafka refuses a setting."""
    from confluent_kafka import KafkaException

    try:
        return kind(settings, logger=_quiet)
    except KafkaException as error:
        # The text has the name of the setting, and no value of a password.
        raise ClientError(
            f"client settings: {error.args[0].str()}; check the file of --client-config"
        ) from None


def producer(
    bootstrap: str, extra: Mapping[str, str], delivery_timeout: float, limit: Limit | None = None
) -> Any:
    """Return an idempotent producer with acks=all that survives broker restarts.

    ``delivery_timeout``: seconds until an unacknowledged record fails. ``limit``: the topic's
    limit, which sets the batch size.
    """
    from confluent_kafka import Producer

    return client_of(
        Producer,
        {
            "enable.idempotence": True,
            # More than one can duplicate records when a broker restarts: librdkafka then starts a
            # new epoch and resends records that were written but not acknowledged (issue 4953).
            "max.in.flight.requests.per.connection": 1,
            "acks": "all",
            "message.timeout.ms": round(delivery_timeout * 1000),
            "request.timeout.ms": 10_000,
            "topic.metadata.propagation.max.ms": PROPAGATION_SECONDS * 1000,
            "linger.ms": 5,
            "compression.type": "lz4",
            # The Java client's partitioner: the same key gets the same partition from any client.
            "partitioner": "murmur2_random",
            "queue.buffering.max.messages": QUEUE_RECORDS,
            **(limit or Limit()).settings(),
            **common_config(bootstrap, extra),
        },
    )


def consumer(bootstrap: str, extra: Mapping[str, str]) -> Any:
    """Return a consumer for assigned partitions that commits no offsets."""
    from confluent_kafka import Consumer

    return client_of(
        Consumer,
        {
            "group.id": "kafka-metal-client",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            # librdkafka's default of 1 s slows down fast readers.
            "fetch.queue.backoff.ms": 10,
            **common_config(bootstrap, extra),
        },
    )


def read_partitions(client: Any, topics: list[str]) -> dict[str, list[int]]:
    """Return the partitions of each topic; ClientError if no broker responds or one is missing."""
    from confluent_kafka import KafkaException

    try:
        # Request the metadata of all topics: a request for one topic could create it.
        known = client.list_topics(timeout=METADATA_SECONDS).topics
    except KafkaException as error:
        raise ClientError(
            f"no broker responded within {METADATA_SECONDS} s: {error.args[0].str()}; "
            "check --bootstrap, and the credentials in the file of --client-config"
        ) from error
    for topic in topics:
        if topic not in known:
            raise ClientError(missing_topic(topic, list(known)))
    return {topic: sorted(known[topic].partitions) for topic in topics}


def offsets_since(reader: Any, partitions: Mapping[str, list[int]], time_ms: int) -> list[Any]:
    """Return start positions that include every record from ``time_ms`` on.

    A partition without such a record starts at the end it had before the lookup: by the time
    reading starts, its end may be after the first wanted record.
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
    """Return the message about a missing topic, with similar names."""
    public = sorted(name for name in known if not name.startswith("__"))
    near = difflib.get_close_matches(topic, public, n=3)
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    elif public:
        more = f" and {len(public) - 10} more" if len(public) > 10 else ""
        hint = f"the cluster has: {', '.join(public[:10])}{more}"
    else:
        hint = "the cluster has no topics"
    return f"topic {topic} does not exist and is not created automatically; {hint}"


def header_text(message: Any, name: str) -> str | None:
    """Return the text of a record's header, or None."""
    for key, value in message.headers() or ():
        if key == name and value is not None:
            return bytes(value).decode("utf-8", "replace")
    return None


def read_ranges(
    reader: Any,
    topic: str,
    ranges: Mapping[int, tuple[int, int]],
    stall_timeout: float,
    stopped: Stop = lambda: False,
) -> Iterator[Any]:
    """Yield all records of a topic from the first to the last offset per partition, inclusive.

    Stop at the end of a log that is shorter than the range, and once ``stopped`` is true.
    ClientError after ``stall_timeout`` seconds without a record.
    """
    from confluent_kafka import KafkaError, TopicPartition

    reader.assign([TopicPartition(topic, part, first) for part, (first, _) in ranges.items()])
    waiting = {part for part, (first, last) in ranges.items() if first <= last}
    at_end: set[int] = set()
    why = ""
    last_record = time.monotonic()
    while waiting and not stopped():
        for message in reader.consume(BATCH, timeout=0.5):
            part, error = message.partition(), message.error()
            if error is not None:
                if error.code() == KafkaError._PARTITION_EOF:
                    at_end.add(part)
                else:
                    why = f": {error.str()}"
                continue
            at_end.discard(part)
            why = ""
            last_record = time.monotonic()
            last = ranges[part][1]
            if message.offset() <= last:
                yield message
                # Without the time that the caller needed for the record.
                last_record = time.monotonic()
            if message.offset() >= last and part in waiting:
                waiting.remove(part)
                reader.pause([TopicPartition(topic, part)])
        idle = time.monotonic() - last_record
        if waiting <= at_end and idle > QUIET_SECONDS:
            return
        if idle > stall_timeout:
            names = ", ".join(f"{topic}-{part}" for part in sorted(waiting))
            raise ClientError(f"no record was read for {stall_timeout:.0f} s from {names}{why}")
