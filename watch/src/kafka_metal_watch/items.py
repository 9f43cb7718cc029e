"""Reads of several items: each is read or has a reason, and one failure affects no other item."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from confluent_kafka import KafkaException

# Reads that run at the same time. Reads of dead endpoints wait, and use no CPU.
PARALLEL = 64
# A request ends by its own time limit; this margin is for results that librdkafka never delivers.
MARGIN_S = 5.0

Name = TypeVar("Name")
Value = TypeVar("Value")


@dataclass
class Items(Generic[Name, Value]):
    """Values by name, and the reason of each name that could not be read."""

    found: dict[Name, Value] = field(default_factory=dict)
    unread: dict[Name, str] = field(default_factory=dict)


def requested(
    names: Iterable[Name],
    request: Callable[[Name], Future[Any]],
    value: Callable[[Any], Value],
    timeout: float,
) -> Items[Name, Value]:
    """Send a request for each name, several at a time, and convert its result with ``value``."""
    items: Items[Name, Value] = Items()
    every = list(names)
    for start in range(0, len(every), PARALLEL):
        for name, future in [(name, request(name)) for name in every[start : start + PARALLEL]]:
            try:
                items.found[name] = value(future.result(timeout + MARGIN_S))
            except (KafkaException, TimeoutError) as error:
                items.unread[name] = reason(error)
    return items


def reason(error: BaseException) -> str:
    """Return the text of an error, without the structure around it."""
    cause = error.args[0] if isinstance(error, KafkaException) and error.args else error
    text = cause.str() if hasattr(cause, "str") else str(cause)
    return text or type(cause).__name__


def in_parallel(reads: Mapping[Name, Callable[[], Value]], timeout: float) -> Items[Name, Value]:
    """Run all reads at the same time, and end after ``timeout`` seconds without the others."""
    items: Items[Name, Value] = Items()
    if not reads:
        return items
    pool = ThreadPoolExecutor(min(PARALLEL, len(reads)), "read")
    futures = {name: pool.submit(read) for name, read in reads.items()}
    ended, _ = wait(futures.values(), timeout)
    for name, future in futures.items():
        if future not in ended:
            items.unread[name] = f"no response within {timeout:.0f} s"
        elif error := future.exception():
            items.unread[name] = reason(error)
        else:
            items.found[name] = future.result()
    pool.shutdown(wait=False, cancel_futures=True)
    return items
