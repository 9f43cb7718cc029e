# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Merge problems with alerts that report them, and arrange them: causes, then what follows.

No I/O.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from . import equal_problems, problem_kinds
from .platform_problem import Problem


@dataclass(frozen=True)
class Places:
    """Where instances are: ``machines`` and ``services`` (kinds) by instance.

    ``order`` has the kinds of services in the order in which they start: an earlier one without
    a leader explains a later one.
    """

    machines: Mapping[str, str] = field(default_factory=dict)
    services: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    # Instances that Prometheus has to scrape.
    scraped: tuple[str, ...] = ()
    # Those of them that are down if Prometheus cannot read their metrics.
    down_without_metrics: tuple[str, ...] = ()

    @cached_property
    def _services_on(self) -> dict[str, set[str]]:
        """Kinds of services by machine: a search for each pair of problems takes minutes."""
        found: dict[str, set[str]] = {}
        for name, machine in self.machines.items():
            if name in self.services:
                found.setdefault(machine, set()).add(self.services[name])
        return found

    def related(self, cause: Problem, effect: Problem) -> bool:
        """Whether a cause is where it can explain the effect."""
        if problem_kinds.of(cause.kind).narrow:
            return effect.where in cause.affects
        if cause.where == effect.where:
            return cause.kind != effect.kind
        if self.machines.get(effect.where) == cause.where:
            return True
        if self.services.get(cause.where) == effect.where:
            return True
        if effect.where in self._services_on.get(cause.where, ()):
            return True
        return problem_kinds.of(cause.kind).wide and self._earlier(cause.where, effect.where)

    def _earlier(self, cause: str, effect: str) -> bool:
        """Whether the service of a cause starts before that of the effect, or it has no place."""
        first, later = (self.services.get(name, name) for name in (cause, effect))
        if first not in self.order or later not in self.order:
            return not cause
        return self.order.index(first) < self.order.index(later)

    def explains(self, cause: Problem, effect: Problem) -> bool:
        """Whether ``cause`` explains ``effect``."""
        return cause.kind in problem_kinds.of(effect.kind).causes and self.related(cause, effect)


def places_of(entries: Iterable[Mapping[str, Any]]) -> Places:
    """Return the places of instances.

    ``entries`` have ``instance``, ``group``, ``machine``, ``job`` and ``down_without_metrics`` of
    each instance, in start order; ``job`` is empty for one that Prometheus does not scrape.
    """
    given = list(entries)
    return Places(
        machines={each["instance"]: each["machine"] for each in given},
        services={each["instance"]: each["group"] for each in given},
        order=tuple(dict.fromkeys(each["group"] for each in given)),
        scraped=tuple(each["instance"] for each in given if each.get("job")),
        down_without_metrics=tuple(
            each["instance"] for each in given if each.get("down_without_metrics")
        ),
    )


@dataclass(frozen=True)
class Finding:
    """A problem without a known cause, and the problems that follow from it."""

    problem: Problem
    effects: tuple[Problem, ...] = ()


def merge(problems: Iterable[Problem]) -> list[Problem]:
    """Return each problem once; an alert that reports a found problem is added to that one.

    An alert of the same kind and place reports a problem that was read.
    """
    given = list(problems)
    read = list(dict.fromkeys(each for each in given if each.read))
    alerts = [each for each in given if not each.read]
    by_place: dict[tuple[str, str], list[Problem]] = {}
    for each in alerts:
        by_place.setdefault((each.kind, each.where), []).append(each)
    known = {(each.kind, each.where) for each in read}
    return [
        *(_with_alerts(each, by_place.get((each.kind, each.where), [])) for each in read),
        *(_with_alerts(same[0], same) for place, same in by_place.items() if place not in known),
    ]


def _with_alerts(problem: Problem, alerts: Iterable[Problem]) -> Problem:
    """Return a problem with the names of its alerts, the earliest time and highest severity."""
    every = list(alerts)
    times = [each.since for each in (problem, *every) if each.since]
    names = [name for each in every for name in each.alerts]
    return replace(
        problem,
        since=min(times, default=0.0),
        alerts=tuple(dict.fromkeys(names)),
        severity=min((problem, *every), key=_level).level if every else problem.severity,
    )


def quieted(
    problems: Iterable[Problem], silenced: Iterable[str], places: Places, operating: bool = False
) -> list[Problem]:
    """Return problems that an operation in progress explains as notes.

    ``silenced`` are the instances and machines that it stops now. Partitions lag behind while one
    of their brokers is stopped. ``operating``: there is an operation, which may change content.
    """
    names = set(silenced)
    stopped = {name for name, machine in places.machines.items() if {name, machine} & names}
    services = {places.services.get(name) for name in names | stopped} - {None}
    return [
        replace(each, severity=problem_kinds.NOTE, text=f"{each.text} (operation in progress)")
        if each.where in names | stopped
        or (each.where in services and each.kind == "PartitionsUnderReplicated")
        or (operating and each.kind == "ContentChanged")
        else each
        for each in problems
    ]


def arrange(problems: Iterable[Problem], places: Places | None = None) -> list[Finding]:
    """Return problems without a known cause, most severe first, each with what follows from it.

    Equal problems of several places with the same cause are one.
    """
    known = places or Places()
    merged = sorted(merge(problems), key=_importance)
    causes: dict[int, int] = {}
    for at, effect in enumerate(merged):
        for other, cause in enumerate(merged):
            if known.explains(cause, effect) and _root(causes, other) != at:
                causes[at] = other
                break
    effects: dict[int, list[Problem]] = {}
    for at, effect in enumerate(merged):
        if at in causes:
            effects.setdefault(_root(causes, at), []).append(effect)
    findings = [
        Finding(each, tuple(effects.get(at, ()))) for at, each in enumerate(merged)
        if at not in causes
    ]  # fmt: skip
    return sorted(_grouped(findings, known), key=_severity)


def _grouped(findings: Iterable[Finding], places: Places) -> list[Finding]:
    """Return findings with equal problems as one, and so what follows from them."""

    def key(problem: Problem) -> object:
        return equal_problems.key(problem, places.machines, places.services)

    groups: dict[object, list[Finding]] = {}
    for each in findings:
        groups.setdefault(key(each.problem), []).append(each)
    result = []
    for same in groups.values():
        effects: dict[object, list[Problem]] = {}
        for effect in (effect for each in same for effect in each.effects):
            effects.setdefault(key(effect), []).append(effect)
        problem = equal_problems.as_one([each.problem for each in same])
        result.append(Finding(problem, tuple(map(equal_problems.as_one, effects.values()))))
    return result


def _root(causes: Mapping[int, int], at: int) -> int:
    while at in causes:
        at = causes[at]
    return at


def _importance(problem: Problem) -> tuple[int, int, str]:
    """Sort key: the likeliest cause first."""
    return (
        problem_kinds.rank(problem.kind),
        problem_kinds.SEVERITIES.index(problem.level),
        problem.where,
    )


def _level(problem: Problem) -> int:
    """Return 0 for the highest severity."""
    return problem_kinds.SEVERITIES.index(problem.level)


def _severity(finding: Finding) -> tuple[int, int]:
    """Sort key: the most severe of a problem and what follows, then what has most effects."""
    return min(map(_level, (finding.problem, *finding.effects))), -len(finding.effects)


def as_list(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return all problems in plain types, causes first.

    ``because`` is the kind and place of the cause of a problem, None for one without.
    """
    return [
        {**each.as_dict(), "because": None if each is finding.problem else _key(finding.problem)}
        for finding in findings
        for each in (finding.problem, *finding.effects)
    ]


def _key(problem: Problem) -> dict[str, str]:
    return {"kind": problem.kind, "where": problem.where}


def count(findings: Iterable[Finding]) -> int:
    """Return the number of urgent problems, those of each place."""
    return sum(
        len(each.each)
        for finding in findings
        for each in (finding.problem, *finding.effects)
        if each.urgent
    )
