# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Connection limits of a broker: in total, per listener, and per address; no I/O.

An idle TLS connection needs 57 kB of heap, 1 kB of other JVM memory and 4 kB of kernel memory.
Measured with 1,000 and 2,000 connections after the handshake, Kafka 3.9.2 on Java 21:
`jcmd 1 GC.class_histogram`, which collects garbage, then `jcmd 1 GC.heap_info` and
`jcmd 1 VM.native_memory`, without and with connections. A connection without data needs 3 kB.
Requests in flight also need memory, so a connection counts as 100 kB.

The inter-broker listener has no limit. At the broker's limit Kafka keeps it open by closing
connections of other listeners, the longest idle ones first. Only the limit per address could reject
a broker, so it does not apply to addresses of brokers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._common.units import heap_bytes
from ...module_utils._kafka.live_keys import UNLIMITED
from .inventory_values import whole_number

ALL = "max.connections"
ADDRESS = "max.connections.per.ip"
# A lower limit would reject other brokers (each has a few connections), the operator's commands,
# monitoring, or a client with several producers and consumers.
LEAST = 100
# Bytes of heap per connection, and the share of the heap for connections.
CONNECTION_BYTES = 100_000
HEAP_SHARE = 1 / 4
# Share of open files for connections; the rest is for segments and indexes.
FILES_SHARE = 1 / 2
# Factor over the open connections for a limit that is set for the first time.
HEADROOM = 1.25
# A limit above the sized one is lowered if at most this share of the sized one is in use.
LOWERING_SHARE = 0.8

EXEMPT = "max.connections.per.ip.overrides"


@dataclass(frozen=True)
class Sizes:
    """Numbers of connections for which a broker has memory.

    ``clients``: on a client listener, ``address``: from one address, ``all``: of the broker.
    """

    clients: int
    address: int
    all: int


@dataclass(frozen=True)
class OpenConnections:
    """Numbers of open connections, by listener and by address; empty for a new broker."""

    listeners: Mapping[str, int] = field(default_factory=dict)
    addresses: Mapping[str, int] = field(default_factory=dict)


def listener_key(listener: str) -> str:
    """The key with the limit of one listener."""
    return f"listener.name.{listener.lower()}.{ALL}"


def compute_sizes(heap: object, open_files: object, own: Mapping[str, Any]) -> Sizes:
    """Limits for a heap such as 4g and a limit of open files, 0 if unknown.

    ``own`` are the site's properties; the other limits are derived from its total limit.

    One address gets a third, clients two thirds. So a single address cannot fill a listener, and
    its connections to the inter-broker listener fit next to a full client listener. An invalid
    heap, which preflight refuses, gives no limits.
    """
    total = int((heap_bytes(heap) or 0) * HEAP_SHARE) // CONNECTION_BYTES or UNLIMITED
    if files := whole_number(open_files):
        total = min(total, int(files * FILES_SHARE))
    # Preflight refuses a lower limit of the site; 0 would reject all clients.
    total = max(whole_number(own.get(ALL)) or total, LEAST)
    return Sizes(total * 2 // 3, total // 3, total)


def choose_limit(sized: int, now: int, found: int | None) -> int:
    """The limit to set: ``sized``, or a higher one while more connections are open.

    ``now`` is the number of open connections, ``found`` the previous limit, None if there was none.
    A previous limit is never raised for open connections, otherwise it would be no limit.
    """
    if found is None:
        return sized if now <= sized else -int(-now * HEADROOM // 100) * 100
    if found <= sized or now <= LOWERING_SHARE * sized:
        return sized
    return found


def limit_properties(
    sized: Sizes,
    listeners: Iterable[str],
    found: Mapping[str, str],
    now: OpenConnections,
    exempt: Iterable[str],
    own: Mapping[str, Any],
) -> dict[str, Any]:
    """Keys of server.properties with their limits.

    ``listeners``: all listeners except the inter-broker one. ``found``: the keys as the last run
    set them. ``exempt``: addresses without a limit per address. ``own``: the site's properties,
    from which the other limits are derived.
    """
    names = list(listeners)
    before = {key: whole_number(text) for key, text in found.items()}
    exempted = set(exempt)
    counts = [count for peer, count in now.addresses.items() if peer not in exempted]
    of_listeners = {
        listener_key(name): choose_limit(
            sized.clients, now.listeners.get(name, 0), before.get(listener_key(name))
        )
        for name in names
    }
    clients = max(
        (whole_number(own.get(key)) or value for key, value in of_listeners.items()),
        default=sized.clients,
    )
    result: dict[str, Any] = {
        **of_listeners,
        ADDRESS: choose_limit(
            max(clients // 2, LEAST // 3), max(counts, default=0), before.get(ADDRESS)
        ),
    }
    if names:
        # With a single listener for all, Kafka would not keep any listener open at this limit.
        total = min(max(sized.all, clients + sized.address), UNLIMITED)
        result[ALL] = choose_limit(total, sum(now.listeners.values()), before.get(ALL))
    if exempted:
        result[EXEMPT] = [f"{peer}:{UNLIMITED}" for peer in sorted(exempted)]
    return result


def summary(heap: object, effective: Mapping[str, Any], listeners: Iterable[str]) -> str:
    """Message with a broker's limits from its ``effective`` properties; empty without limits."""
    parts = [
        f"{limit} {what}"
        for what, key in (
            *((f"on {name}", listener_key(name)) for name in listeners),
            ("from one address", ADDRESS),
            ("in total", ALL),
        )
        if (limit := whole_number(effective.get(key))) is not None and limit < UNLIMITED
    ]
    if not parts:
        return ""
    return f"connection limits of a broker with a heap of {heap}: {', '.join(parts)}"


def warnings(
    broker: str,
    sized: Sizes,
    effective: Mapping[str, Any],
    own: Mapping[str, Any],
    now: OpenConnections,
) -> list[str]:
    """A message for each listener whose limit exceeds its size, or is below the open connections"""
    result = []
    for name, count in sorted(now.listeners.items()):
        key = listener_key(name)
        limit = whole_number(effective.get(key))
        if limit is None:
            continue
        if key in own:
            if count > limit:
                result.append(
                    f"{broker}: {count} connections are open on {name}, but {key} is declared as "
                    f"{limit}: they stay open, new ones wait until fewer than {limit} are open"
                )
        elif limit > sized.clients:
            result.append(
                f"{broker}: the limit of {name} is {limit} connections, but the heap is sized for "
                f"{sized.clients}; {count} are open now. Find the clients that hold them, or raise "
                f"kafka_broker_heap (docs/reference/settings.md)"
            )
    return result
