"""Fakes of the Kafka client's classes."""

from collections.abc import Callable
from dataclasses import dataclass, field

TopicPartition = tuple[str, int]


@dataclass
class Message:
    """A record as in a consumer or a delivery report."""

    topic_: str = "payments"
    partition_: int = 0
    offset_: int | None = 0
    key_: bytes | None = None
    value_: bytes | None = None
    headers_: list[tuple[str, bytes]] = field(default_factory=list)
    timestamp_: int = 0

    def topic(self) -> str:
        return self.topic_

    def partition(self) -> int:
        return self.partition_

    def offset(self) -> int | None:
        return self.offset_

    def key(self) -> bytes | None:
        return self.key_

    def value(self) -> bytes | None:
        return self.value_

    def headers(self) -> list[tuple[str, bytes]]:
        return self.headers_

    def timestamp(self) -> tuple[int, int]:
        return 1, self.timestamp_

    def error(self) -> None:
        return None


@dataclass
class Error:
    """A delivery error."""

    text: str

    def str(self) -> str:
        return self.text


class Producer:
    """Acknowledges each record at the next poll; ``fate`` may return an error for one."""

    def __init__(self, partitions: int = 2, room: int = 1000) -> None:
        self.log: list[Message] = []
        self.room = room
        self.partitions = partitions
        self.fate: Callable[[int, Message], Error | None] = lambda number, message: None
        self._waiting: list[tuple[Message, Callable[..., None]]] = []
        self._sent = 0
        self._ends = [0] * partitions

    def produce(
        self, topic, key=None, value=None, headers=(), timestamp=0, on_delivery=None
    ) -> None:
        if len(self._waiting) >= self.room:
            raise BufferError
        part = self._sent % self.partitions
        message = Message(topic, part, self._ends[part], key, value, list(headers), timestamp)
        self._ends[part] += 1
        self._sent += 1
        self.log.append(message)
        self._waiting.append((message, on_delivery))

    def poll(self, seconds: float) -> None:
        waiting, self._waiting = self._waiting, []
        for message, on_delivery in waiting:
            number = self.log.index(message)
            on_delivery(self.fate(number, message), message)
