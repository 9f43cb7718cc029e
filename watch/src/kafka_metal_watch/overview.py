"""Brokers and topics of a cluster, from its metadata."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Broker:
    """A broker. Unregistered brokers are those that only appear in replica assignments."""

    id: int
    endpoint: str = ""
    rack: str = ""
    registered: bool = False
    controller: bool = False
    leaders: int = 0
    replicas: int = 0


@dataclass(frozen=True)
class Topic:
    """A topic with its numbers of under-replicated and leaderless partitions.

    ``replication_factor`` is the largest number of replicas of a partition, ``least_replicas`` the
    smallest.
    """

    name: str
    partitions: int
    replication_factor: int
    under_replicated: int
    leaderless: int
    least_replicas: int = 0


@dataclass(frozen=True)
class Overview:
    """All brokers by ID, all topics by name, and the names of partitions with problems."""

    brokers: tuple[Broker, ...] = ()
    topics: tuple[Topic, ...] = ()
    leaderless: tuple[str, ...] = ()
    under_replicated: tuple[str, ...] = ()

    @property
    def controller(self) -> int:
        """Return the ID of the controller, -1 without one."""
        return next((each.id for each in self.brokers if each.controller), -1)


def overview(metadata: Any, racks: Mapping[int, str]) -> Overview:
    """Return the overview from librdkafka's metadata and the rack of each broker."""
    partitions = [each for topic in metadata.topics.values() for each in topic.partitions.values()]
    known = {*metadata.brokers, *(broker for each in partitions for broker in each.replicas)}
    return Overview(
        brokers=tuple(_broker(broker, metadata, racks, partitions) for broker in sorted(known)),
        topics=tuple(_topic(name, topic) for name, topic in sorted(metadata.topics.items())),
        leaderless=_names(metadata, _leaderless),
        under_replicated=_names(metadata, _under_replicated),
    )


def _names(metadata: Any, chosen: Callable[[Any], list[int]]) -> tuple[str, ...]:
    """Return the names of the ``chosen`` partitions of all topics."""
    return tuple(
        f"{name}-{number}"
        for name, topic in sorted(metadata.topics.items())
        for number in chosen(topic)
    )


def _leaderless(topic: Any) -> list[int]:
    return [number for number, each in sorted(topic.partitions.items()) if each.leader < 0]


def _under_replicated(topic: Any) -> list[int]:
    """Return the numbers of a topic's partitions with too few replicas in sync.

    A reassignment adds replicas before they are in sync, and metadata does not tell which they are:
    the factor is the smallest number of replicas of a partition.
    """
    partitions = sorted(topic.partitions.items())
    factor = _least_replicas(topic.partitions.values())
    return [number for number, each in partitions if len(each.isrs) < factor]


def _least_replicas(partitions: Iterable[Any]) -> int:
    return min((len(each.replicas) for each in partitions), default=0)


def _broker(number: int, metadata: Any, racks: Mapping[int, str], partitions: list[Any]) -> Broker:
    """Return one broker with its numbers of leaders and replicas."""
    found = metadata.brokers.get(number)
    return Broker(
        id=number,
        endpoint=f"{found.host}:{found.port}" if found else "",
        rack=racks.get(number, ""),
        registered=found is not None,
        controller=number == metadata.controller_id,
        leaders=sum(each.leader == number for each in partitions),
        replicas=sum(number in each.replicas for each in partitions),
    )


def _topic(name: str, topic: Any) -> Topic:
    """Return one topic with the states of its partitions."""
    partitions = list(topic.partitions.values())
    return Topic(
        name=name,
        partitions=len(partitions),
        replication_factor=max((len(each.replicas) for each in partitions), default=0),
        under_replicated=len(_under_replicated(topic)),
        leaderless=len(_leaderless(topic)),
        least_replicas=_least_replicas(partitions),
    )
