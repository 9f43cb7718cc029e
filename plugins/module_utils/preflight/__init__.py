# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What is wrong with an inventory, said before anything is touched.

A check is a function from the site to problems; CHECKS is the table of all, a new check is an
entry. No check fails: what it cannot read is either another check's problem or a note.

A problem is fatal when the platform would not start, would lose data or would stop at night. It is
a note when the platform works and would work better, or when something could not be told. A check
that may be wrong about a site that works makes notes only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import (
    acceptance,
    addresses,
    broker_keys,
    capacity,
    clocks,
    closed,
    connections,
    content,
    disks,
    engines,
    identity,
    kernels,
    likeness,
    machines,
    masters,
    metadata,
    names,
    pagecache,
    pipelines,
    places,
    racks,
    reach,
    stored,
    topics,
)
from .catalogue import instances
from .problem import Problem
from .services import directories
from .site import Check, Facts, Role, Site, Unreadable

__all__ = [
    "CHECKS",
    "Facts",
    "Problem",
    "Role",
    "Site",
    "Unreadable",
    "budget",
    "check",
    "wanted_paths",
]

CHECKS: tuple[Check, ...] = (
    identity.cluster_name,
    identity.metadata_mode,
    identity.numbers,
    metadata.ensemble_size,
    names.unknown_variables,
    topics.topic_shape,
    topics.topic_names,
    topics.topic_values,
    topics.topic_copies,
    topics.topic_rest,
    content.content_declared,
    closed.names_of_ours,
    closed.security_word,
    closed.closing_word,
    closed.trust_word,
    closed.plain_on_loopback,
    closed.watched_on_loopback,
    closed.agents_ask_nobody,
    broker_keys.broker_keys,
    topics.broker_copies,
    masters.spark_names,
    masters.one_master_leads,
    pipelines.declarations,
    pipelines.pipeline_topics,
    pipelines.ports_of_drivers,
    pipelines.pipeline_cores,
    pipelines.cores_of_outputs,
    stored.storage_declared,
    places.needed,
    places.port_numbers,
    places.port_collisions,
    places.ports_in_use,
    places.directory_collisions,
    machines.looked_at,
    machines.machine_known,
    machines.system,
    machines.architecture,
    machines.python,
    capacity.settings,
    capacity.sizes,
    capacity.memory_of_machines,
    capacity.root_disk,
    capacity.free_space,
    pagecache.page_cache,
    disks.file_systems,
    disks.mount_options,
    disks.writable,
    disks.inodes,
    disks.shared_disks,
    disks.shared_journals,
    kernels.kernel,
    kernels.open_files,
    connections.limits_of_connections,
    kernels.processes,
    kernels.map_count,
    kernels.swap,
    kernels.ephemeral_ports,
    engines.engine_answers,
    engines.engine_version,
    engines.storage_driver,
    engines.rootless,
    engines.user_namespaces,
    engines.live_restore,
    engines.memory_limits,
    engines.protections,
    clocks.clock_limit,
    clocks.clocks_agree,
    clocks.clocks_kept,
    likeness.same_versions,
    likeness.hostnames,
    likeness.machine_ids,
    likeness.hardware_addresses,
    likeness.mtu,
    racks.racks_complete,
    racks.racks_enough,
    addresses.advertised_apart,
    addresses.advertised_afar,
    addresses.names_resolve,
    addresses.names_lead_home,
    addresses.own_names,
    addresses.bound_here,
    addresses.reverse_names,
    reach.bindable,
    reach.reachable,
)


def check(
    hosts: Mapping[str, Mapping[str, Any]],
    groups: Mapping[str, Sequence[str]],
    facts: Mapping[str, Facts],
    roles: Mapping[str, Role] | None = None,
) -> list[Problem]:
    """All problems of a site, in the order of CHECKS; empty when it may be touched.

    ``hosts`` maps inventory hosts to variables (role defaults included); reading one may raise
    Unreadable. ``facts`` maps machines to what metal.kafka.machine_info returned; a missing fact
    turns its checks into notes (problems that are not fatal). ``roles`` are those whose prefixes
    are theirs alone.
    """
    site = Site(hosts, groups, facts, roles or {})
    found = [
        replace(problem, check=each.__name__)
        for each in CHECKS
        for problem in dict.fromkeys(each(site))
    ]
    unknown = acceptance.unknown(site, [each.__name__ for each in CHECKS])
    return [*acceptance.accepted(site, found), *unknown, *_unreadable(site, found)]


def _unreadable(site: Site, found: list[Problem]) -> list[Problem]:
    """Variables whose template fails, but for those that only lack what is reported already."""
    reported = {(problem.host, problem.where) for problem in found}
    return [
        Problem(host, name, f"a template that fails: {reason}", "a template with a value")
        for (host, name), reason in site.unreadable.items()
        if not any(host == other and where in reason for other, where in reported)
    ]


def wanted_paths(
    hosts: Mapping[str, Mapping[str, Any]], groups: Mapping[str, Sequence[str]]
) -> list[str]:
    """The directories whose place the checks want to know, for metal.kafka.machine_info."""
    site = Site(hosts, groups, {})
    found = {path for _, path in capacity.engine_directories(site)}
    for host, service in instances(site):
        found.update(path for _, path in directories(site, host, service.directories))
    return sorted(found)


def budget(
    hosts: Mapping[str, Mapping[str, Any]],
    groups: Mapping[str, Sequence[str]],
    facts: Mapping[str, Facts],
) -> list[str]:
    """Memory of each machine with brokers, and what is left of it for the page cache."""
    return [str(each) for each in pagecache.budgets(Site(hosts, groups, facts))]


def wanted_names(
    hosts: Mapping[str, Mapping[str, Any]], groups: Mapping[str, Sequence[str]]
) -> list[str]:
    """The names whose addresses the checks want to know, for metal.kafka.machine_info."""
    return addresses.wanted_names(Site(hosts, groups, {}))


def wanted_probes(
    hosts: Mapping[str, Mapping[str, Any]],
    groups: Mapping[str, Sequence[str]],
    facts: Mapping[str, Facts],
) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """By machine, what metal.kafka.port_probe has to connect to and to listen on."""
    return reach.probes(Site(hosts, groups, facts))
