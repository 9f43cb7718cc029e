# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Which variables of a service hold its number, ports, directories and memory: a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .site import Site
from .values import whole_number


@dataclass(frozen=True)
class Service:
    """One kind of service; ``ports`` and ``directories`` may hold one value, a list or a dict.

    ``ids`` are the lowest and highest number allowed. ``bind`` holds the address its ports bind.
    """

    group: str
    role: str
    id: str | None = None
    ids: tuple[int, int] = (0, 0)
    bind: str | None = None
    ports: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    heap: str | None = None
    memory: str | None = None


@dataclass(frozen=True)
class Socket:
    """A port that an instance will listen on, and the variable that says so."""

    host: str
    where: str
    address: str
    port: int

    def meets(self, address: str, port: int) -> bool:
        """Whether a socket there would keep this one from binding."""
        wild = {"0.0.0.0", "::", "*", ""}
        return self.port == port and (
            self.address == address or self.address in wild or address in wild
        )


# Kafka reserves numbers above 1000 for brokers that number themselves.
KAFKA = Service(
    group="kafka",
    role="kafka_broker",
    id="kafka_broker_id",
    ids=(0, 1000),
    ports=("kafka_broker_listeners",),
    directories=("kafka_broker_log_dirs",),
    heap="kafka_broker_heap",
    memory="kafka_broker_memory",
)
