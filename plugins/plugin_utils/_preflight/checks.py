# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The functions that run all preflight checks, which ``check_table`` lists.

A check is a function that takes the site and yields problems.
Checks raise no errors: malformed values are the problem of another check, or a note.

A problem is fatal if the platform would not start, would lose data or would fail later. It is a
note if the platform works but could work better, or if a fact is missing. A check that may be wrong
about a working site only yields notes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._declarations.problem import Problem
from .._site.facts_of_machines import Facts
from .._site.kafka import KAFKA
from .._site.services import directories
from .._site.site_instances import instances
from .._site.site_model import Check, Role, Site
from . import (
    acceptance,
    check_addresses,
    check_capacity,
    check_connectivity,
    check_page_cache,
    check_removals,
)
from .check_table import ACCEPTABLE, GENERAL, SHARED, TABLE
from .variable_place import with_places

CHECKS: tuple[Check, ...] = tuple(each.check for each in TABLE)


def check(
    hosts: Mapping[str, Mapping[str, Any]],
    groups: Mapping[str, Sequence[str]],
    facts: Mapping[str, Facts],
    roles: Mapping[str, Role] | None = None,
    inventory_names: Mapping[str, Collection[str]] | None = None,
) -> list[Problem]:
    """Return all problems of a site, in the order of CHECKS; empty if a run may change it.

    ``hosts`` maps inventory hosts to variables (role defaults included); reading one may raise
    Unreadable. ``facts`` maps machines to the result of metal.kafka.machine_info; a missing fact
    turns its checks into notes (problems that are not fatal). ``roles`` are the roles that own the
    variables with their name as prefix. ``inventory_names`` are the variables that the inventory
    sets, by host.
    """
    site = Site(hosts, groups, facts, roles or {}, inventory_names or {})
    found = [
        replace(problem, check=each.__name__)
        for each in CHECKS
        for problem in dict.fromkeys(each(site))
    ]
    known = {each.where for each in found if each.check not in GENERAL}
    found = [each for each in found if each.check not in GENERAL or each.where not in known]
    refused = acceptance.refused_names(site, [each.__name__ for each in CHECKS], ACCEPTABLE)
    judged = [*acceptance.accept_problems(site, found, ACCEPTABLE), *refused]
    # Before other hosts' values are read: only the templates that a check has read are its concern.
    unreadable = _unreadable(site, found)
    return [*with_places(site, judged, {*SHARED, acceptance.ACCEPT}), *unreadable]


def _unreadable(site: Site, found: list[Problem]) -> list[Problem]:
    """Variables whose template fails, unless the reason names a variable already reported."""
    reported = {(problem.host, problem.where) for problem in found}
    return [
        Problem(host, name, f"a template that fails: {reason}", "a template with a value")
        for (host, name), reason in site.unreadable.items()
        if not any(host == other and where in reason for other, where in reported)
    ]


def wanted_paths(
    hosts: Mapping[str, Mapping[str, Any]], groups: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return the directories whose file systems metal.kafka.machine_info must inspect."""
    site = Site(hosts, groups, {})
    found = {path for _, path in check_capacity.engine_directories(site)}
    for host, service in instances(site):
        found.update(path for _, path in directories(site, host, service.directories))
    return sorted(found)


def budget(
    hosts: Mapping[str, Mapping[str, Any]],
    groups: Mapping[str, Sequence[str]],
    facts: Mapping[str, Facts],
) -> list[str]:
    """Return a line for each machine with brokers: its memory and the part for the page cache."""
    return [str(each) for each in check_page_cache.budgets(Site(hosts, groups, facts))]


def wanted_applied_files(
    hosts: Mapping[str, Mapping[str, Any]], groups: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return the files with applied content that metal.kafka.machine_info must read."""
    site = Site(hosts, groups, {})
    paths = site.values(site.members(KAFKA.group), check_removals.APPLIED_FILE)
    return sorted({str(path) for _, path in paths})


def wanted_names(
    hosts: Mapping[str, Mapping[str, Any]], groups: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return the names that metal.kafka.machine_info must resolve."""
    return check_addresses.names_to_resolve(Site(hosts, groups, {}))


def wanted_probes(
    hosts: Mapping[str, Mapping[str, Any]],
    groups: Mapping[str, Sequence[str]],
    facts: Mapping[str, Facts],
) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Return by machine the endpoints for metal.kafka.port_probe to connect to and listen on."""
    return check_connectivity.probes(Site(hosts, groups, facts))
