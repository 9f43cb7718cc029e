# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The table of all preflight checks: a new check is an entry here."""

from __future__ import annotations

from typing import NamedTuple

from .._site import metadata_services
from .._site.site_model import Check
from . import (
    broker_keys,
    check_addresses,
    check_api_users,
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
    check_values,
)


class Entry(NamedTuple):
    """A check, a function that takes the site and yields problems.

    ``acceptable``: a site may accept its problems, because they depend on machines, networks or
    the site's judgement. An error of a declaration has to be corrected.
    ``shared``: a problem depends on the value of its variable alone. It names the hosts with this
    value, not the host on which the check has read it.
    ``general``: its problem is left out if another check, which says more, has one of the same
    variable.
    """

    check: Check
    shared: bool = False
    acceptable: bool = False
    general: bool = False

    @property
    def name(self) -> str:
        """Name of the check, as in messages and in metal_preflight_accept."""
        return self.check.__name__


TABLE = (
    Entry(check_identity.cluster_name, shared=True),
    Entry(check_identity.metadata_mode, shared=True),
    Entry(check_identity.instance_ids),
    Entry(check_identity.users, shared=True, acceptable=True),
    Entry(metadata_services.ensemble_size, acceptable=True),
    Entry(metadata_services.metadata_key_names, shared=True),
    Entry(check_unknown_variables.unknown_variables, shared=True),
    Entry(check_values.value_types, shared=True, general=True),
    Entry(check_values.service_addresses, shared=True),
    Entry(check_values.instances_agree),
    Entry(check_images.image_versions, shared=True),
    Entry(check_content.content_declared, shared=True),
    Entry(check_removals.removals_confirmed, shared=True),
    Entry(check_removals.applied_states),
    Entry(check_topics.topic_copies, shared=True),
    Entry(check_key_names.topic_key_names, shared=True),
    Entry(check_security.reserved_user_names, shared=True),
    Entry(check_security.users_with_own_password, shared=True),
    Entry(check_security.security_mode),
    Entry(check_security.security_migration),
    Entry(check_security.quorum_trust),
    Entry(check_security.security_numbers, shared=True),
    Entry(check_security.plain_on_loopback, acceptable=True),
    Entry(check_security.services_need_certificates, shared=True),
    Entry(check_api_users.api_users_declared, shared=True),
    Entry(check_security.monitoring_on_loopback, acceptable=True),
    Entry(check_security.agents_on_loopback, acceptable=True),
    Entry(broker_keys.broker_keys, shared=True),
    Entry(check_key_names.broker_key_names, shared=True),
    Entry(check_topics.broker_copies, shared=True),
    Entry(check_rolling.silence_seconds, shared=True),
    Entry(check_spark_masters.spark_names),
    Entry(check_spark_masters.spark_master_election, acceptable=True),
    Entry(check_pipelines.pipeline_declarations, shared=True),
    Entry(check_pipelines.pipeline_topics, shared=True),
    Entry(check_pipelines.pipeline_registry, shared=True),
    Entry(check_pipelines.driver_ports, shared=True),
    Entry(check_pipelines.pipeline_cores, acceptable=True),
    Entry(check_executors.pipeline_memory, shared=True, acceptable=True),
    Entry(check_pipelines.output_cores, shared=True, acceptable=True),
    Entry(check_pipelines.kafka_options, shared=True),
    Entry(check_pipelines.spark_options, shared=True),
    Entry(check_storage.storage_declared, shared=True),
    Entry(check_monitoring.monitoring_alerts, shared=True),
    Entry(check_monitoring.monitoring_receivers, shared=True),
    Entry(check_monitoring.monitoring_options, shared=True),
    Entry(check_monitoring.monitoring_targets, shared=True),
    Entry(check_monitoring.monitoring_entries, shared=True),
    Entry(check_monitoring.monitoring_web, shared=True),
    Entry(check_ports_and_paths.required_values),
    Entry(check_ports_and_paths.port_numbers, shared=True),
    Entry(check_ports_and_paths.port_collisions),
    Entry(check_ports_and_paths.ports_in_use, acceptable=True),
    Entry(check_ports_and_paths.directory_collisions),
    Entry(check_machines.missing_facts, acceptable=True),
    Entry(check_machines.machine_group, acceptable=True),
    Entry(check_machines.system, acceptable=True),
    Entry(check_machines.architecture, acceptable=True),
    Entry(check_machines.python, acceptable=True),
    Entry(check_capacity.preflight_limits, shared=True),
    Entry(check_capacity.memory_sizes),
    Entry(check_capacity.machine_memory, acceptable=True),
    Entry(check_capacity.root_disk, acceptable=True),
    Entry(check_capacity.free_space, acceptable=True),
    Entry(check_page_cache.page_cache, acceptable=True),
    Entry(check_filesystems.file_systems, acceptable=True),
    Entry(check_filesystems.mount_options, acceptable=True),
    Entry(check_filesystems.writable, acceptable=True),
    Entry(check_filesystems.inodes, acceptable=True),
    Entry(check_filesystems.shared_disks, acceptable=True),
    Entry(check_filesystems.shared_journals, acceptable=True),
    Entry(check_kernel.kernel, acceptable=True),
    Entry(check_kernel.open_files, acceptable=True),
    Entry(check_connection_limits.connection_limits, shared=True, acceptable=True),
    Entry(check_kernel.processes, acceptable=True),
    Entry(check_kernel.map_count, acceptable=True),
    Entry(check_kernel.swap, acceptable=True),
    Entry(check_kernel.ephemeral_ports, acceptable=True),
    Entry(check_engine.engine_responds, acceptable=True),
    Entry(check_engine.engine_version, acceptable=True),
    Entry(check_engine.storage_driver, acceptable=True),
    Entry(check_engine.rootless, acceptable=True),
    Entry(check_engine.user_namespaces, acceptable=True),
    Entry(check_engine.live_restore, acceptable=True),
    Entry(check_engine.memory_limits, acceptable=True),
    Entry(check_engine.protections, acceptable=True),
    Entry(check_clocks.clock_limit, shared=True),
    Entry(check_clocks.clocks_agree, acceptable=True),
    Entry(check_clocks.clocks_synchronised, acceptable=True),
    Entry(check_consistency.same_versions, acceptable=True),
    Entry(check_consistency.hostnames, acceptable=True),
    Entry(check_consistency.machine_ids, acceptable=True),
    Entry(check_consistency.hardware_addresses, acceptable=True),
    Entry(check_consistency.mtu, acceptable=True),
    Entry(check_racks.racks_complete, acceptable=True),
    Entry(check_racks.racks_enough, acceptable=True),
    Entry(check_addresses.advertised_unique, acceptable=True),
    Entry(check_addresses.advertised_usable, acceptable=True),
    Entry(check_addresses.names_resolve, acceptable=True),
    Entry(check_addresses.names_resolve_correctly, acceptable=True),
    Entry(check_addresses.own_name_not_loopback, acceptable=True),
    Entry(check_addresses.bind_addresses, acceptable=True),
    Entry(check_addresses.reverse_names, acceptable=True),
    Entry(check_connectivity.bindable, acceptable=True),
    Entry(check_connectivity.reachable, acceptable=True),
)

ACCEPTABLE = frozenset(each.name for each in TABLE if each.acceptable)
SHARED = frozenset(each.name for each in TABLE if each.shared)
GENERAL = frozenset(each.name for each in TABLE if each.general)
