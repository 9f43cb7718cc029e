# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""How many connections a broker accepts: in all, on each listener, from one address; no I/O.

An idle TLS connection costs a broker 57 kB of heap, 1 kB of other memory of the JVM and 4 kB of
the kernel. Measured with 1,000 and with 2,000 connections that had finished the handshake, Kafka
3.9.2 on Java 21: `jcmd 1 GC.class_histogram`, which collects garbage, then `jcmd 1 GC.heap_info`
and `jcmd 1 VM.native_memory`, before and with them. A connection that sends nothing costs 3 kB.
A request in flight needs memory too, so a connection counts 100 kB.

The inter-broker listener has no limit of its own. Kafka keeps it open at the broker's limit by
closing connections of other listeners, those idle for longest first. Only the limit for one
address would keep a broker out, so it does not apply to addresses of brokers.
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
# Fewer would lock out other brokers (each has a handful of connections), the operator's commands,
# monitoring, or one client with its producers and consumers.
LEAST = 100
# Bytes of heap that one connection counts, and the share of the heap that connections may take.
CONNECTION_BYTES = 100_000
HEAP_SHARE = 1 / 4
# Of open files, the other half is for segments and indexes.
FILES_SHARE = 1 / 2
# A limit that is set for the first time leaves so much room above what is open now.
ROOM = 1.25
# A limit above what memory is sized for is lowered when no more than this share of it is used.
FITS = 0.8

EXEMPT = "max.connections.per.ip.overrides"


@dataclass(frozen=True)
class Sizes:
    """Connections that a broker has memory for.

    ``clients`` on a listener of clients, ``address`` from one address, ``all`` of the broker.
    """

    clients: int
    address: int
    all: int


@dataclass(frozen=True)
class Open:
    """Connections that are open now, by listener and by address; none on a new broker."""

    listeners: Mapping[str, int] = field(default_factory=dict)
    addresses: Mapping[str, int] = field(default_factory=dict)


def listener_key(listener: str) -> str:
    """The key with the limit of one listener."""
    return f"listener.name.{listener.lower()}.{ALL}"


def sizes(heap: object, open_files: object, own: Mapping[str, Any]) -> Sizes:
    """Limits for a heap such as 4g, and a limit of open files, 0 for an unknown one.

    ``own`` is what the site sets: where it says how many there may be in all, others follow.

    One address gets a third, clients two thirds: a single address never takes all of a listener,
    and what it opens on the inter-broker listener fits beside clients that use all of theirs. A
    heap that cannot be read, which preflight refuses, limits nothing.
    """
    total = int((heap_bytes(heap) or 0) * HEAP_SHARE) // CONNECTION_BYTES or UNLIMITED
    if files := whole_number(open_files):
        total = min(total, int(files * FILES_SHARE))
    # Preflight refuses an own limit below that; one of 0 would keep everybody out.
    total = max(whole_number(own.get(ALL)) or total, LEAST)
    return Sizes(total * 2 // 3, total // 3, total)


def not_below(sized: int, now: int, found: int | None) -> int:
    """The limit to set: ``sized``, or more while more connections are open.

    ``now`` are open, ``found`` is the limit that was set before, None without one. A limit in force
    does not grow with what is open: it would be none.
    """
    if found is None:
        return sized if now <= sized else -int(-now * ROOM // 100) * 100
    if found <= sized or now <= FITS * sized:
        return sized
    return found


def limits(
    sized: Sizes,
    listeners: Iterable[str],
    found: Mapping[str, str],
    now: Open,
    exempt: Iterable[str],
    own: Mapping[str, Any],
) -> dict[str, Any]:
    """Keys of server.properties with their limits.

    ``listeners`` are those that brokers do not use among each other; ``found`` the keys as the
    last run set them; ``exempt`` addresses that only the limits of listeners bind; ``own`` what
    the site sets, from which the other limits follow.
    """
    names = list(listeners)
    before = {key: whole_number(text) for key, text in found.items()}
    unbound = set(exempt)
    counts = [count for peer, count in now.addresses.items() if peer not in unbound]
    of_listeners = {
        listener_key(name): not_below(
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
        ADDRESS: not_below(
            max(clients // 2, LEAST // 3), max(counts, default=0), before.get(ADDRESS)
        ),
    }
    if names:
        # A broker with one listener for all has none that Kafka would keep open at this limit.
        total = min(max(sized.all, clients + sized.address), UNLIMITED)
        result[ALL] = not_below(total, sum(now.listeners.values()), before.get(ALL))
    if unbound:
        result[EXEMPT] = [f"{peer}:{UNLIMITED}" for peer in sorted(unbound)]
    return result


def summary(heap: object, effective: Mapping[str, Any], listeners: Iterable[str]) -> str:
    """The limits of a broker for people, from its ``effective`` properties; empty without any."""
    parts = [
        f"{limit} {what}"
        for what, key in (
            *((f"on {name}", listener_key(name)) for name in listeners),
            ("from one address", ADDRESS),
            ("in all", ALL),
        )
        if (limit := whole_number(effective.get(key))) is not None and limit < UNLIMITED
    ]
    if not parts:
        return ""
    return f"connections of a broker with a heap of {heap}: at most {', '.join(parts)}"


def warnings(
    broker: str,
    sized: Sizes,
    effective: Mapping[str, Any],
    own: Mapping[str, Any],
    now: Open,
) -> list[str]:
    """A message for each listener whose limit is above its size, or below what is open."""
    result = []
    for name, count in sorted(now.listeners.items()):
        key = listener_key(name)
        limit = whole_number(effective.get(key))
        if limit is None:
            continue
        if key in own:
            if count > limit:
                result.append(
                    f"{broker}: {count} connections are open on {name} and {key} is declared as "
                    f"{limit}: they stay open, new ones wait until fewer than {limit} are left"
                )
        elif limit > sized.clients:
            result.append(
                f"{broker}: the limit of {name} is {limit} connections, its heap is sized for "
                f"{sized.clients}: {count} are open now. Find out who holds them, or raise "
                f"kafka_broker_heap (docs/reference/settings.md)"
            )
    return result
