# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Accepted checks: problems of the checks that the operator names become notes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from ...module_utils._common.suggestions import list_allowed
from .._declarations.problem import Problem
from .._site.site_model import Site

ACCEPT = "metal_preflight_accept"
PAGE = "docs/operate/verbs/preflight.md"


def _names(site: Site, host: str) -> list[str]:
    """Names of the checks that a host accepts, from a list or a text separated by commas."""
    value = site.value(host, ACCEPT, [])
    parts = value.split(",") if isinstance(value, str) else value
    names = parts if isinstance(parts, Sequence) else [parts]
    return [str(name).strip() for name in names if str(name).strip()]


def refused_names(
    site: Site, checks: Collection[str], acceptable: Collection[str]
) -> Iterator[Problem]:
    """Yield a problem for each accepted name that is no check, or one that cannot be accepted.

    Neither a typo nor a name without effect must be ignored.
    """
    reported = set()
    for host in site.hosts:
        for name in _names(site, host):
            if name in acceptable or name in reported:
                continue
            reported.add(name)
            if name in checks:
                others = f"a correct declaration; {PAGE} marks the checks that can be accepted"
                found = f"{name!r}, whose problems are errors of declarations"
                yield Problem(host, ACCEPT, found, others, check=ACCEPT)
            else:
                allowed = list_allowed(name, acceptable)
                yield Problem(host, ACCEPT, repr(name), allowed, check=ACCEPT)


def accept_problems(
    site: Site, problems: Iterable[Problem], acceptable: Collection[str]
) -> list[Problem]:
    """Return all problems, with the accepted ones of ``acceptable`` checks turned into notes.

    A problem of a host is accepted by that host, a problem of a group by any host.
    """
    by_host = {host: set(_names(site, host)) for host in site.hosts}
    anywhere = set().union(*by_host.values()) if by_host else set()
    return [
        replace(problem, fatal=False, accepted=True)
        if problem.fatal
        and problem.check in acceptable
        and problem.check in by_host.get(problem.host, anywhere)
        else problem
        for problem in problems
    ]
