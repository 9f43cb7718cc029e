"""The problems of a cluster, from the last state that the exporter has read."""

from collections.abc import Iterator

from ._problems import (
    arrangement,
    certificate_problems,
    kafka_problems,
    monitoring_problems,
    pipeline_problems,
    spark_problems,
)
from ._problems.messages import shorten_list
from ._problems.operation_rules import EVERYTHING
from ._problems.platform_problem import Problem
from .durations import duration
from .metrics import ClusterState
from .reader import EVERY

DAY_S = 86400
# An engine runs a health check every 10 s; without one for so long it is dead or hangs.
ENGINE_TIMEOUT_S = 60
# Kind of the item that is read from each broker: one that cannot be read does not respond.
OF_BROKER = "connection limits"
# Kinds of items that are read from brokers.
OF_CLUSTER = ("group", "groups", "topic settings", OF_BROKER)


def findings(found: ClusterState, now: float, interval: float) -> list[arrangement.Finding]:
    """Return the problems, causes first; ``interval`` of reads in seconds."""
    return arrangement.arrange(problems(found, now, interval), found.places)


def problems(found: ClusterState, now: float, interval: float) -> list[Problem]:
    """Return all problems of a state; those of an operation in progress are notes."""
    every = list(_problems(found, now, interval))
    if found.operation.problems(now):
        return every
    muted = {name for name, until in found.operation.muted.items() if until > now}
    known = found.places
    everything = {*known.machines, *known.services} if EVERYTHING in muted else set()
    operating = found.operation.in_progress(now)
    return arrangement.quieted(every, {*muted, *everything}, known, operating)


def _problems(found: ClusterState, now: float, interval: float) -> Iterator[Problem]:
    """Yield all problems of a state."""
    yield from _cluster(found, now, interval)
    for name, state in sorted(found.pipelines.items()):
        yield from pipeline_problems.problems(name, state)
    if found.masters:
        yield from spark_problems.problems(
            [_master(*each) for each in sorted(found.masters.items())], found.workers
        )
    yield from _certificates(found, now)
    for host, seconds in sorted(found.engines.items()):
        if seconds > ENGINE_TIMEOUT_S:
            text = f"the container engine of {host} has not responded for {duration(seconds)}"
            yield Problem("EngineDown", host, text)
    for text in found.operation.problems(now):
        yield Problem("OperationInterrupted", "", text, "make status")
    yield from _unread(found)
    yield from monitoring_problems.from_prometheus(found.alerts)
    yield from monitoring_problems.unreadable(found.targets, found.places.down_without_metrics)
    # Without targets, Prometheus was not read.
    if found.targets:
        yield from monitoring_problems.without_target(found.targets, found.places.scraped)
    if found.rules is not None:
        yield from monitoring_problems.without_rules(found.rules, "prometheus")


def _cluster(found: ClusterState, now: float, interval: float) -> list[Problem]:
    """Return the problems of brokers and partitions, as the brokers report them."""
    seen = found.overview
    if not seen.brokers:
        # Before the end of the first reading nothing is known.
        reason = found.unread.get(("cluster", EVERY))
        return kafka_problems.unreachable(f"no broker responds: {reason}") if reason else []
    state = {
        "brokers": [{"id": each.id} for each in seen.brokers if each.registered],
        "controller_id": seen.controller,
        "unresponsive": {
            int(name): why
            for (kind, name), why in found.unread.items()
            if kind == OF_BROKER and not _is_denied(why)
        },
        "offline": seen.leaderless,
        "under_replicated": seen.under_replicated,
        "content": [each.as_dict() for each in found.content.problems] if found.content else (),
    }
    result = kafka_problems.problems(state, [each.id for each in seen.brokers])
    if now - found.read > 3 * interval:
        text = f"the cluster has not responded for {duration(now - found.read)}"
        result += kafka_problems.unreachable(text)
    return result


def _is_denied(why: str) -> bool:
    """Whether a broker has responded that the exporter may not read."""
    return "authorization failed" in why.lower()


def _master(name: str, state: object) -> dict[str, object]:
    """Return a master in the form that the rules need."""
    read = state if isinstance(state, dict) else {}
    return {
        "name": name,
        "page": "its page",
        "status": read.get("status", ""),
        "workers": spark_problems.alive_workers(read),
        "error": "" if read else "no response",
    }


def expires_soon(found: ClusterState, left: float) -> bool:
    """Whether a certificate with ``left`` seconds until its expiry is a problem."""
    return left < found.warn_days * DAY_S


def _certificates(found: ClusterState, now: float) -> Iterator[Problem]:
    for endpoint, until in sorted(found.certificates.items()):
        left = until - now
        if expires_soon(found, left):
            when = f"expires in {duration(left)}" if left > 0 else "has expired"
            text = f"the certificate of {endpoint} {when}"
            yield certificate_problems.problem(endpoint, text, left / DAY_S)


def _unread(found: ClusterState) -> Iterator[Problem]:
    """Yield a problem for each kind of items that could not be read."""
    by_kind: dict[str, list[str]] = {}
    for (kind, name), why in sorted(found.unread.items()):
        # A cluster and a broker that do not respond have their own problem.
        if kind == "cluster" or (kind == OF_BROKER and not _is_denied(why)):
            continue
        by_kind.setdefault(kind, []).append(f"{name} ({why})")
    for kind, names in by_kind.items():
        # Reads of the cluster fail with a broker; others have a place of their own.
        where = kafka_problems.SERVICE if kind in OF_CLUSTER else kind
        text = f"not read: {kind} {shorten_list(names)}"
        yield Problem("ReadFailed", where, text)
