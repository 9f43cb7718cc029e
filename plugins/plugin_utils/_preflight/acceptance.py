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


def _names(site: Site, host: str) -> list[str]:
    """Names of the checks that a host accepts, from a list or a text separated by commas."""
    value = site.value(host, ACCEPT, [])
    parts = value.split(",") if isinstance(value, str) else value
    names = parts if isinstance(parts, Sequence) else [parts]
    return [str(name).strip() for name in names if str(name).strip()]


def unknown_names(site: Site, checks: Collection[str]) -> Iterator[Problem]:
    """Return a problem for each accepted name that is not a check: a typo must not be ignored."""
    reported = set()
    for host in site.hosts:
        for name in _names(site, host):
            if name not in checks and name not in reported:
                reported.add(name)
                yield Problem(host, ACCEPT, repr(name), list_allowed(name, checks))


def accept_problems(site: Site, problems: Iterable[Problem]) -> list[Problem]:
    """Return all problems, with the accepted ones turned into notes.

    A problem of a host is accepted by that host, a problem of a group by any host.
    """
    by_host = {host: set(_names(site, host)) for host in site.hosts}
    anywhere = set().union(*by_host.values()) if by_host else set()
    return [
        replace(problem, fatal=False, accepted=True)
        if problem.fatal and problem.check in by_host.get(problem.host, anywhere)
        else problem
        for problem in problems
    ]
