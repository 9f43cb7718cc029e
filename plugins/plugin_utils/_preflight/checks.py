# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The table of all preflight checks, and the functions that run them.

A check is a function that takes the site and yields problems; a new check is an entry in CHECKS.
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
from .._site import metadata_services
from .._site.facts_of_machines import Facts
from .._site.kafka import KAFKA
from .._site.services import directories
from .._site.site_instances import instances
from .._site.site_model import Check, Role, Site
from . import (
    acceptance,
    broker_keys,
    check_addresses,
    check_capacity,
    check_clocks,
    check_connection_limits,
    check_connectivity,
    check_consistency,
    check_content,
    check_engine,
    check_executors,
    check_filesystems,
    check_identity,
    check_images,
    check_kernel,
    check_key_names,
    check_machines,
    check_monitoring,
    check_page_cache,
    check_pipelines,
    check_ports_and_paths,
    check_racks,
    check_removals,
    check_rolling,
    check_security,
    check_spark_masters,
    check_storage,
    check_topics,
    check_unknown_variables,
)

CHECKS: tuple[Check, ...] = (
    check_identity.cluster_name,
    check_identity.metadata_mode,
    check_identity.instance_ids,
    check_identity.users,
    metadata_services.ensemble_size,
    metadata_services.metadata_key_names,
    check_unknown_variables.unknown_variables,
    check_images.image_versions,
    check_content.content_declared,
    check_removals.removals_confirmed,
    check_removals.applied_states,
    check_topics.topic_copies,
    check_key_names.topic_key_names,
    check_security.reserved_user_names,
    check_security.users_with_own_password,
    check_security.security_mode,
    check_security.security_migration,
    check_security.quorum_trust,
    check_security.security_numbers,
    check_security.plain_on_loopback,
    check_security.monitoring_on_loopback,
    check_security.agents_on_loopback,
    broker_keys.broker_keys,
    check_key_names.broker_key_names,
    check_topics.broker_copies,
    check_rolling.silence_seconds,
    check_spark_masters.spark_names,
    check_spark_masters.spark_master_election,
    check_pipelines.pipeline_declarations,
    check_pipelines.pipeline_topics,
    check_pipelines.driver_ports,
    check_pipelines.pipeline_cores,
    check_executors.pipeline_memory,
    check_pipelines.output_cores,
    check_pipelines.kafka_options,
    check_pipelines.spark_options,
    check_storage.storage_declared,
    check_monitoring.monitoring_alerts,
    check_monitoring.monitoring_receivers,
    check_monitoring.monitoring_options,
    check_monitoring.monitoring_targets,
    check_monitoring.monitoring_entries,
    check_monitoring.monitoring_web,
    check_ports_and_paths.required_values,
    check_ports_and_paths.port_numbers,
    check_ports_and_paths.port_collisions,
    check_ports_and_paths.ports_in_use,
    check_ports_and_paths.directory_collisions,
    check_machines.missing_facts,
    check_machines.machine_group,
    check_machines.system,
    check_machines.architecture,
    check_machines.python,
    check_capacity.preflight_limits,
    check_capacity.memory_sizes,
    check_capacity.machine_memory,
    check_capacity.root_disk,
    check_capacity.free_space,
    check_page_cache.page_cache,
    check_filesystems.file_systems,
    check_filesystems.mount_options,
    check_filesystems.writable,
    check_filesystems.inodes,
    check_filesystems.shared_disks,
    check_filesystems.shared_journals,
    check_kernel.kernel,
    check_kernel.open_files,
    check_connection_limits.connection_limits,
    check_kernel.processes,
    check_kernel.map_count,
    check_kernel.swap,
    check_kernel.ephemeral_ports,
    check_engine.engine_responds,
    check_engine.engine_version,
    check_engine.storage_driver,
    check_engine.rootless,
    check_engine.user_namespaces,
    check_engine.live_restore,
    check_engine.memory_limits,
    check_engine.protections,
    check_clocks.clock_limit,
    check_clocks.clocks_agree,
    check_clocks.clocks_synchronised,
    check_consistency.same_versions,
    check_consistency.hostnames,
    check_consistency.machine_ids,
    check_consistency.hardware_addresses,
    check_consistency.mtu,
    check_racks.racks_complete,
    check_racks.racks_enough,
    check_addresses.advertised_unique,
    check_addresses.advertised_usable,
    check_addresses.names_resolve,
    check_addresses.names_resolve_correctly,
    check_addresses.own_name_not_loopback,
    check_addresses.bind_addresses,
    check_addresses.reverse_names,
    check_connectivity.bindable,
    check_connectivity.reachable,
)


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
    unknown = acceptance.unknown_names(site, [each.__name__ for each in CHECKS])
    return [*acceptance.accept_problems(site, found), *unknown, *_unreadable(site, found)]


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
