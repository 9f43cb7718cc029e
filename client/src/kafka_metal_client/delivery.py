"""Delivery of records to a topic: each is acknowledged or fails with a reason.

Records are retried while a broker reports the topic as unknown: a broker that has just started
accepts connections before it has metadata.
"""

import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from kafka_metal_client import brokers
from kafka_metal_client.errors import ClientError
from kafka_metal_client.pacing import Pacer
from kafka_metal_client.sizes import Limit, batch_bytes
from kafka_metal_client.stop_signal import Stop

POLL_SECONDS = 0.1
# Error names of a broker without metadata, and librdkafka's own that follow from it.
UNKNOWN = {"UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION"}
RETRY_SECONDS = 1.0
# Longest timeout of a record. One of an unknown topic may take twice as long: it is retried until
# its timeout, and the last attempt has as long again.
LONGEST_TIMEOUT = 500
# A producer keeps records of an unknown topic only within brokers.PROPAGATION_SECONDS of its start.
# It is replaced early enough for the results of all records before; 100 s are for the retries.
RENEW_SECONDS = brokers.PROPAGATION_SECONDS - 2 * LONGEST_TIMEOUT - 100.0

# Called once per record with the reason of a failure (None: acknowledged) and the message.
Done = Callable[[str | None, Any], None]


class Delivery:
    """Passes records of one topic to a producer and reports the result of each.

    ``timeout``: seconds from the first attempt until a record of an unknown topic is no longer
    retried, at most LONGEST_TIMEOUT. It is also that of the producer.
    """

    def __init__(
        self, connect: Callable[[], Any], topic: str, limit: Limit, timeout: float = 300
    ) -> None:
        """``connect`` returns a confluent_kafka Producer, or an object with produce and poll."""
        self._connect = connect
        self.producer = connect()
        self._renewal = time.monotonic() + RENEW_SECONDS
        self.topic = topic
        self.limit = limit
        self.timeout = timeout
        self.sent = 0
        self.settled = 0
        # Records to be sent again, and when: in the order of time.
        self._later: deque[tuple[float, Callable[[], None]]] = deque()

    @property
    def in_flight(self) -> int:
        """Number of records without a result yet."""
        return self.sent - self.settled

    def send(self, record: dict[str, Any], done: Done, waiting: Callable[[], None]) -> None:
        """Queue a record, given as arguments of ``produce``; call ``waiting`` while it is full.

        A record that is too large for the topic is not sent: ``done`` gets the reason.
        """
        # A producer that refuses records at once is never full.
        while len(self._later) >= brokers.QUEUE_RECORDS:
            self.poll(POLL_SECONDS)
            waiting()
        if time.monotonic() > self._renewal:
            self._renew(waiting)
        self.sent += 1
        size = batch_bytes(record.get("key"), record.get("value"), record.get("headers") or ())
        if size > self.limit.size:
            self._settle(done, too_large(self.limit), None)
            return
        self._queue(record, done, waiting, time.monotonic())

    def wait_until_due(self, pacer: Pacer, stopped: Stop) -> bool:
        """Handle delivery reports until the next record is due; false if none is to be sent."""
        self.poll(0)
        while (delay := pacer.delay(time.monotonic())) > 0:
            if stopped():
                return False
            # With a low rate, the next record may be due in minutes.
            self.poll(min(delay, POLL_SECONDS))
        return not stopped()

    def poll(self, seconds: float) -> None:
        """Handle delivery reports, and resend records whose retry is due."""
        self.producer.poll(seconds)
        now = time.monotonic()
        while self._later and self._later[0][0] <= now:
            self._later.popleft()[1]()

    def wait_for_results(self, waiting: Callable[[], None]) -> None:
        """Wait until each record is acknowledged or failed; call ``waiting`` meanwhile."""
        while self.in_flight:
            self.poll(POLL_SECONDS)
            waiting()

    def _renew(self, waiting: Callable[[], None]) -> None:
        """Replace the producer once every record has its result, so that none is sent twice."""
        self.wait_for_results(waiting)
        # A file of keys may be gone meanwhile: the producer in use sends as before.
        with suppress(ClientError):
            self.producer = self._connect()
        self._renewal = time.monotonic() + RENEW_SECONDS

    def _queue(
        self, record: dict[str, Any], done: Done, waiting: Callable[[], None], first: float
    ) -> None:
        from confluent_kafka import KafkaException

        def answer(error: Any, message: Any) -> None:
            if error is not None and _unknown(error) and time.monotonic() - first < self.timeout:
                moment = time.monotonic() + RETRY_SECONDS
                self._later.append((moment, lambda: self._queue(record, done, waiting, first)))
                return
            self._settle(done, None if error is None else str(error.str()), message)

        while True:
            try:
                self.producer.produce(self.topic, **record, on_delivery=answer)
                return
            except BufferError:
                self.producer.poll(POLL_SECONDS)
                waiting()
            except KafkaException as error:
                # Once a broker has called the topic unknown, the producer refuses it at once.
                answer(error.args[0], None)
                return

    def _settle(self, done: Done, reason: str | None, message: Any) -> None:
        self.settled += 1
        done(reason, message)


def too_large(limit: Limit) -> str:
    """Return the reason for a record that exceeds the topic's limit."""
    return f"larger than the topic's max.message.bytes ({limit.size:,})"


def _unknown(error: Any) -> bool:
    return getattr(error, "name", str)() in UNKNOWN
