# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Memory that is left for the page cache, which is what brokers serve consumers from.

A consumer that keeps up, and every follower, reads what was written in the last seconds. While that
is in memory the disks only write; when it is not, every read is a seek beside the writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...module_utils._common.units import MEMORY_FORMAT, heap_bytes, memory_bytes, size_text
from .._declarations.problem import Problem
from .._site.kafka import KAFKA
from .._site.services import memory
from .._site.site_instances import instances
from .._site.site_model import Site
from .check_capacity import setting

RATE = "kafka_broker_write_rate"
# Three brokers with three copies write what producers send: 50 MiB/s is 400 Mbit/s of them.
STANDARD_RATE = "50m"
# Followers and consumers that keep up are behind by less.
SECONDS = 30


@dataclass
class Budget:
    """Bytes of one machine; ``rate`` is what its brokers write in a second."""

    machine: str
    memory: int
    reserve: int
    heaps: int = 0
    services: int = 0
    rate: int = 0

    @property
    def room(self) -> int:
        """What the page cache can have."""
        return self.memory - self.reserve - self.heaps - self.services

    @property
    def wanted(self) -> int:
        """What the page cache should have."""
        return self.rate * SECONDS

    def __str__(self) -> str:
        """The arithmetic, for the operator."""
        return (
            f"{self.machine}: {size_text(self.memory)} of memory - {size_text(self.heaps)} "
            f"heap of brokers - {size_text(self.services)} other services - "
            f"{size_text(self.reserve)} reserve = {size_text(max(self.room, 0))} for the page "
            f"cache; {size_text(self.wanted)} wanted ({SECONDS} s at {size_text(self.rate)}/s)"
        )


def write_rate(site: Site, host: str) -> int | None:
    """Bytes per second that one broker writes; None when the declaration is no size."""
    return memory_bytes(site.value(host, RATE, STANDARD_RATE))


def budgets(site: Site) -> list[Budget]:
    """One budget for each machine with brokers whose memory is known."""
    found: dict[str, Budget] = {}
    brokers = site.members(KAFKA.group)
    for machine in dict.fromkeys(site.machine(host) for host in brokers):
        if size := site.facts.get(machine, {}).get("memory"):
            reserve = setting(site, machine, "preflight_memory_reserve")
            found[machine] = Budget(machine, size, reserve)
    for host, service in instances(site):
        budget = found.get(site.machine(host))
        if budget is None:
            continue
        if service is KAFKA:
            # Not the limit of the container: that counts the broker's page cache too.
            budget.heaps += heap_bytes(site.value(host, "kafka_broker_heap", "")) or 0
            budget.rate += write_rate(site, host) or 0
        else:
            budget.services += sum(count for _, count in memory(site, host, service))
    return list(found.values())


def page_cache(site: Site) -> Iterator[Problem]:
    """The newest seconds of data fit into memory beside the processes."""
    yield from _brokers(site)
    for budget in budgets(site):
        if budget.wanted > budget.room:
            yield Problem(
                budget.machine,
                "page cache",
                f"{size_text(max(budget.room, 0))}: {size_text(budget.memory)} of memory less "
                f"{size_text(budget.heaps)} heap of brokers, "
                f"{size_text(budget.services)} other services and "
                f"{size_text(budget.reserve)} reserve",
                f"at least {size_text(budget.wanted)}, {SECONDS} s of "
                f"{size_text(budget.rate)}/s ({RATE}): with less, consumers and "
                "followers read from the disks that are written to",
                fatal=False,
            )


def _brokers(site: Site) -> Iterator[Problem]:
    """Rates are sizes; a broker's container, if limited, has room for its page cache."""
    for host in site.members(KAFKA.group):
        rate = write_rate(site, host)
        if rate is None:
            yield Problem(host, RATE, repr(site.value(host, RATE)), MEMORY_FORMAT)
            continue
        limit = memory_bytes(site.value(host, "kafka_broker_memory", "") or "")
        heap = heap_bytes(site.value(host, "kafka_broker_heap", "")) or 0
        if limit and heap < limit < heap + rate * SECONDS:
            yield Problem(
                host,
                "kafka_broker_memory",
                f"{size_text(limit)}, of which {size_text(limit - heap)} are left beside the heap",
                f"at least {size_text(heap + rate * SECONDS)}: the limit counts the page "
                f"cache, and {SECONDS} s of {size_text(rate)}/s ({RATE}) should stay in it; "
                "or no limit",
                fatal=False,
            )
