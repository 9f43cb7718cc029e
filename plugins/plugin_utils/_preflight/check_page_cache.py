# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Memory for the page cache, from which brokers serve followers and up-to-date consumers.

They read data of the last seconds. If it is no longer in memory, each read costs a disk seek that
competes with the writes.
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
from .check_capacity import preflight_limit

RATE = "kafka_broker_write_rate"
# With three brokers and three replicas each broker writes all data produced: 50 MiB/s, 400 Mbit/s.
STANDARD_RATE = "50m"
# Followers and up-to-date consumers lag by less than this.
SECONDS = 30


@dataclass
class Budget:
    """Memory of one machine in bytes; ``rate`` is the bytes per second its brokers write."""

    machine: str
    memory: int
    reserve: int
    heaps: int = 0
    services: int = 0
    rate: int = 0

    @property
    def room(self) -> int:
        """Bytes available for the page cache."""
        return self.memory - self.reserve - self.heaps - self.services

    @property
    def wanted(self) -> int:
        """Bytes that the page cache should have."""
        return self.rate * SECONDS

    def __str__(self) -> str:
        """Return the calculation as one line for the operator."""
        return (
            f"{self.machine}: {size_text(self.memory)} of memory - {size_text(self.heaps)} "
            f"heap of brokers - {size_text(self.services)} other services - "
            f"{size_text(self.reserve)} reserve = {size_text(max(self.room, 0))} for the page "
            f"cache; {size_text(self.wanted)} wanted ({SECONDS} s at {size_text(self.rate)}/s)"
        )


def write_rate(site: Site, host: str) -> int | None:
    """Bytes per second that one broker writes; None when the declaration is not a size."""
    return memory_bytes(site.value(host, RATE, STANDARD_RATE))


def budgets(site: Site) -> list[Budget]:
    """One budget for each machine with brokers whose memory is known."""
    found: dict[str, Budget] = {}
    brokers = site.members(KAFKA.group)
    for machine in dict.fromkeys(site.machine(host) for host in brokers):
        if size := site.facts.get(machine, {}).get("memory"):
            reserve = preflight_limit(site, machine, "preflight_memory_reserve")
            found[machine] = Budget(machine, size, reserve)
    for host, service in instances(site):
        budget = found.get(site.machine(host))
        if budget is None:
            continue
        if service is KAFKA:
            # Not the container's limit, which includes the broker's page cache.
            budget.heaps += heap_bytes(site.value(host, "kafka_broker_heap", "")) or 0
            budget.rate += write_rate(site, host) or 0
        else:
            budget.services += sum(count for _, count in memory(site, host, service))
    return list(found.values())


def page_cache(site: Site) -> Iterator[Problem]:
    """The data of the last seconds fits into the memory that processes leave free."""
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
                "followers read from disk, which slows down writes",
                fatal=False,
            )


def _brokers(site: Site) -> Iterator[Problem]:
    """Check the write rates, and whether limited containers have memory for the page cache."""
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
                f"{size_text(limit)}, of which {size_text(limit - heap)} remain without the heap",
                f"at least {size_text(heap + rate * SECONDS)}: the limit includes the page "
                f"cache, which should hold {SECONDS} s of {size_text(rate)}/s ({RATE}); "
                "or no limit",
                fatal=False,
            )
