# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What the operator accepts knowingly: problems of named checks become notes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from ...module_utils._common.suggestions import one_of
from .._declarations.problem import Problem
from .._site.site_model import Site

ACCEPT = "metal_preflight_accept"


def _names(site: Site, host: str) -> list[str]:
    """Names that a host accepts; a list, or text with commas as a command line gives it."""
    value = site.value(host, ACCEPT, [])
    parts = value.split(",") if isinstance(value, str) else value
    names = parts if isinstance(parts, Sequence) else [parts]
    return [str(name).strip() for name in names if str(name).strip()]


def unknown(site: Site, checks: Collection[str]) -> Iterator[Problem]:
    """Names that are no checks, told once each; nothing is accepted by a slip of the pen."""
    told = set()
    for host in site.hosts:
        for name in _names(site, host):
            if name not in checks and name not in told:
                told.add(name)
                yield Problem(host, ACCEPT, repr(name), one_of(name, checks))


def accepted(site: Site, problems: Iterable[Problem]) -> list[Problem]:
    """The problems, of which those are notes that their host (any host, for a group) accepts."""
    by_host = {host: set(_names(site, host)) for host in site.hosts}
    anywhere = set().union(*by_host.values()) if by_host else set()
    return [
        replace(problem, fatal=False, accepted=True)
        if problem.fatal and problem.check in by_host.get(problem.host, anywhere)
        else problem
        for problem in problems
    ]
