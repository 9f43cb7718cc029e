# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Where the value of a variable applies: one host, a group, or all hosts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from .._declarations.problem import Problem
from .._site.site_model import Site

_VARIABLE = re.compile(r"[A-Za-z_]\w*")
ALL = "all"


def place_of(site: Site, host: str, variable: str) -> str:
    """Return ``all`` or the largest group whose hosts all have the same value as ``host``."""
    same = site.once(f"hosts with {variable} of {host}", lambda: _equal(site, host, variable))
    if len(same) == len(site.hosts):
        return ALL
    groups = {each: site.members(each) for each in site.groups if each != ALL}
    # Of groups with the same hosts the first of the inventory.
    return max(
        (each for each, found in groups.items() if host in found and same.issuperset(found)),
        key=lambda each: len(groups[each]),
        default=host,
    )


def _equal(site: Site, host: str, variable: str) -> set[str]:
    """Hosts with the value of ``host``; if the inventory sets none there, those without a value."""
    setting = {each for each in site.hosts if variable in site.own_names(each)}
    if host not in setting:
        return set(site.hosts) - setting
    value: Any = site.value(host, variable)
    return {each for each in setting if site.value(each, variable) == value}


def with_places(site: Site, problems: Iterable[Problem], shared: Collection[str]) -> list[Problem]:
    """Return the problems, with the place of the value as host for ``shared`` checks.

    A check reads a variable of the cluster on one host, which is not where the variable is set.
    """
    found: dict[Problem, None] = {}
    for problem in problems:
        variable = _VARIABLE.match(problem.where)
        if problem.check in shared and problem.host in site.hosts and variable:
            problem = replace(problem, host=place_of(site, problem.host, variable[0]))
        found[problem] = None
    return list(found)
