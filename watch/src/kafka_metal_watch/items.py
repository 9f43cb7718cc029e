"""Reads of several items: each is read or has a reason, and one failure affects no other item."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from confluent_kafka import KafkaError, KafkaException

# Requests that are sent before the first result is awaited.
BATCH = 64
# Reads that run at the same time. Reads of dead endpoints wait, and use no CPU.
THREADS = 256
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
    """Send a request for each name, several at a time, and convert its result with ``value``.

    The results of a batch are awaited together, at most ``timeout`` and MARGIN_S seconds.
    """
    items: Items[Name, Value] = Items()
    every = list(names)
    for start in range(0, len(every), BATCH):
        futures: dict[Name, Future[Any]] = {}
        for name in every[start : start + BATCH]:
            try:
                futures[name] = request(name)
            except KafkaException as error:
                items.unread[name] = reason(error)
        wait(futures.values(), timeout + MARGIN_S)
        for name, future in futures.items():
            try:
                items.found[name] = value(result_now(future, timeout))
            except KafkaException as error:
                items.unread[name] = reason(error)
    return items


def result_of(future: Future[Any], timeout: float) -> Any:
    """Return the result of a request with its own ``timeout``; KafkaException if there is none."""
    wait([future], timeout + MARGIN_S)
    return result_now(future, timeout)


def result_now(future: Future[Any], timeout: float) -> Any:
    """Return the result of a request that was awaited; KafkaException if it has not ended."""
    if not future.done():
        text = no_response(timeout + MARGIN_S)
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT, text))
    return future.result()


def no_response(limit: float) -> str:
    """Return the reason of a read that has not ended within ``limit`` seconds."""
    return f"no response within {limit:.0f} s"


def reason(error: BaseException) -> str:
    """Return the text of an error, without the structure around it."""
    cause = error.args[0] if isinstance(error, KafkaException) and error.args else error
    text = cause.str() if hasattr(cause, "str") else str(cause)
    return text or type(cause).__name__


def in_parallel(reads: Mapping[Name, Callable[[], Value]], timeout: float) -> Items[Name, Value]:
    """Run all reads at the same time, each for at most ``timeout`` seconds.

    More than THREADS reads have as many times this limit as they need to run one after the other.
    """
    items: Items[Name, Value] = Items()
    if not reads:
        return items
    pool = ThreadPoolExecutor(min(THREADS, len(reads)), "read")
    futures = {name: pool.submit(read) for name, read in reads.items()}
    limit = timeout * -(-len(reads) // THREADS)
    ended, _ = wait(futures.values(), limit)
    for name, future in futures.items():
        if future not in ended:
            items.unread[name] = no_response(limit)
        elif error := future.exception():
            items.unread[name] = reason(error)
        else:
            items.found[name] = future.result()
    pool.shutdown(wait=False, cancel_futures=True)
    return items
