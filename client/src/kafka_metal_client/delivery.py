"""Records on their way to a topic: each is acknowledged or has a reason, whatever happens.

Not given up are records of a topic that a broker does not know right after it has started: it
opens its port before it has metadata.
"""

import time
from collections.abc import Callable
from typing import Any

from kafka_metal_client.sizes import Limit, batch_bytes

POLL_SECONDS = 0.1
# Names of errors that a broker without metadata gives, and of librdkafka's own after it.
UNKNOWN = {"UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION"}
RETRY_SECONDS = 1.0

# Called once for each record, with the reason why it failed or none, and the producer's message.
Done = Callable[[str | None, Any], None]


class Delivery:
    """Hands records of one topic to a producer, and tells what became of each.

    ``timeout``: seconds from the first attempt until a record is given up whose topic is unknown.
    """

    def __init__(self, producer: Any, topic: str, limit: Limit, timeout: float = 300) -> None:
        """``producer`` is a confluent_kafka Producer, or something with produce and poll."""
        self.producer = producer
        self.topic = topic
        self.limit = limit
        self.timeout = timeout
        self.sent = 0
        self.settled = 0
        self._later: list[tuple[float, Callable[[], None]]] = []

    @property
    def in_flight(self) -> int:
        """Records of which nobody knows yet."""
        return self.sent - self.settled

    def send(self, record: dict[str, Any], done: Done, waiting: Callable[[], None]) -> None:
        """Queue a record, arguments of ``produce``; ``waiting`` is called while there is no room.

        A record that the topic cannot take is not sent: ``done`` has the reason.
        """
        self.sent += 1
        size = batch_bytes(record.get("key"), record.get("value"), record.get("headers") or ())
        if size > self.limit.size:
            self._settle(done, too_large(self.limit), None)
            return
        self._queue(record, done, waiting, time.monotonic())

    def poll(self, seconds: float) -> None:
        """Take answers, and try again what is due."""
        self.producer.poll(seconds)
        now = time.monotonic()
        due = [again for moment, again in self._later if moment <= now]
        self._later = [entry for entry in self._later if entry[0] > now]
        for again in due:
            again()

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
                self._settle(done, str(error.args[0].str()), None)
                return

    def _settle(self, done: Done, reason: str | None, message: Any) -> None:
        self.settled += 1
        done(reason, message)


def too_large(limit: Limit) -> str:
    """The reason of a record that its topic does not take."""
    return f"larger than the topic takes (max.message.bytes {limit.size:,})"


def _unknown(error: Any) -> bool:
    return getattr(error, "name", str)() in UNKNOWN
