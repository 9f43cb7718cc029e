# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Problems of brokers and partitions, from the state of a cluster in plain types; no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .messages import shorten_list
from .platform_problem import Problem, from_dict

SERVICE = "kafka"
NO_BROKER = -1
# Keys of the state with names of partitions, their kind of problem, and how a message calls them.
PARTITIONS = (
    ("offline", "PartitionsOffline", "offline"),
    ("under_min_isr", "PartitionsUnderMinIsr", "under min.insync.replicas"),
    ("under_replicated", "PartitionsUnderReplicated", "under-replicated"),
)


def instance(broker: object) -> str:
    """Return the name of a broker's instance."""
    return f"{SERVICE}{broker}"


def count_message(names: Sequence[str], state: str) -> str:
    """Return a message such as ``2 partitions are offline: a-0, b-1``."""
    noun, verb = ("partition", "is") if len(names) == 1 else ("partitions", "are")
    return f"{len(names)} {noun} {verb} {state}: {shorten_list(names)}"


def problems(state: Mapping[str, Any], expected: Iterable[int] = ()) -> list[Problem]:
    """Return the problems of a cluster; ``expected`` are the ids of declared brokers.

    ``state`` has ``brokers`` (registered ones, each with ``id``), ``controller_id``,
    ``unresponsive`` (reasons by broker), ``unread`` (messages), ``offline_log_dirs`` (``broker``,
    ``path``, ``error``), ``views`` (``broker`` and ``partitions`` that it reports differently from
    the controller), ``content`` (problems in plain types), and lists of partition names:
    ``offline``, ``under_min_isr``, ``under_replicated``. Each key may be absent. Ongoing
    reassignments and leaders on other than the preferred broker are not problems.
    """
    registered = {broker["id"] for broker in state.get("brokers") or ()}
    found = [
        Problem("ServiceDown", instance(broker), f"broker {broker} is not registered")
        for broker in sorted(set(expected) - registered)
    ]
    if state.get("controller_id", NO_BROKER) == NO_BROKER:
        found.append(Problem("NoLeader", SERVICE, "the cluster has no controller"))
    found += [
        Problem("ServiceDown", instance(broker), f"broker {broker} does not respond: {reason}")
        for broker, reason in sorted((state.get("unresponsive") or {}).items())
    ]
    found += [Problem("ReadFailed", SERVICE, text) for text in state.get("unread") or ()]
    found += [
        Problem(
            "LogDirOffline",
            instance(each["broker"]),
            f"broker {each['broker']}: log dir {each['path']}: {each['error']}",
        )
        for each in state.get("offline_log_dirs") or ()
    ]
    found += [_view(each) for each in state.get("views") or ()]
    found += [
        Problem(kind, SERVICE, count_message(state[key], text))
        for key, kind, text in PARTITIONS
        if state.get(key)
    ]
    return found + [from_dict(each) for each in state.get("content") or ()]


def _view(found: Mapping[str, Any]) -> Problem:
    """Return the problem of a broker whose metadata differs from the controller's."""
    broker, names = found["broker"], found["partitions"]
    text = count_message(names, "reported differently")
    return Problem(
        "ViewsDiffer",
        instance(broker),
        f"broker {broker} and the controller disagree on leaders and in-sync replicas: {text}. "
        "Clients of this broker may wait",
    )


def unreachable(reason: str) -> list[Problem]:
    """Return the problem of a cluster of which no broker responds."""
    return [Problem("ClusterUnreachable", SERVICE, reason)]
