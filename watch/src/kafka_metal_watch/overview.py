"""Brokers and topics of a cluster at one moment, as its metadata has them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Broker:
    """A broker. One that is not registered is known from replicas that belong to it."""

    id: int
    endpoint: str = ""
    rack: str = ""
    registered: bool = False
    controls: bool = False
    leads: int = 0
    holds: int = 0


@dataclass(frozen=True)
class Topic:
    """A topic: number of under-replicated partitions and of leaderless partitions."""

    name: str
    partitions: int
    copies: int
    behind: int
    leaderless: int


@dataclass(frozen=True)
class Overview:
    """All of them, brokers by number and topics by name."""

    brokers: tuple[Broker, ...] = ()
    topics: tuple[Topic, ...] = ()


def overview(metadata: Any, racks: Mapping[int, str]) -> Overview:
    """From the client's metadata of a cluster, and the rack of each broker."""
    partitions = [each for topic in metadata.topics.values() for each in topic.partitions.values()]
    known = {*metadata.brokers, *(broker for each in partitions for broker in each.replicas)}
    return Overview(
        brokers=tuple(_broker(broker, metadata, racks, partitions) for broker in sorted(known)),
        topics=tuple(_topic(name, topic) for name, topic in sorted(metadata.topics.items())),
    )


def _broker(number: int, metadata: Any, racks: Mapping[int, str], partitions: list[Any]) -> Broker:
    """One broker, with what it leads and holds."""
    found = metadata.brokers.get(number)
    return Broker(
        id=number,
        endpoint=f"{found.host}:{found.port}" if found else "",
        rack=racks.get(number, ""),
        registered=found is not None,
        controls=number == metadata.controller_id,
        leads=sum(each.leader == number for each in partitions),
        holds=sum(number in each.replicas for each in partitions),
    )


def _topic(name: str, topic: Any) -> Topic:
    """One topic, with what is wrong with its partitions."""
    partitions = list(topic.partitions.values())
    return Topic(
        name=name,
        partitions=len(partitions),
        copies=max((len(each.replicas) for each in partitions), default=0),
        behind=sum(len(each.isrs) < len(each.replicas) for each in partitions),
        leaderless=sum(each.leader < 0 for each in partitions),
    )
