# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Variables that no role reads, most likely typos."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from ...module_utils._common.suggestions import did_you_mean
from .._declarations.problem import Problem
from .._site.site_model import Site
from .._site.site_variables import SITE_VARIABLES

# Variables of earlier releases, with their replacements.
RENAMED = {
    "benchmark_quiet_seconds": "benchmark_idle_seconds",
    "credentials_password_file": "security_password_file",
    "credentials_store": "security_store",
    "demo_patience": "demo_timeout",
    "demo_standstill": "demo_stall_timeout",
    "host_kafka_client_seen": "host_kafka_client_digest",
    "images_wanted": "images_required",
    "kafka_broker_disk_mounts": "kafka_broker_disks",
    "kafka_broker_doors": "kafka_broker_secured_listeners",
    "kafka_broker_gate_patience": "kafka_broker_gate_stall_timeout",
    "kafka_broker_obstacle": "kafka_broker_migration_blocker",
    "kafka_broker_patience": "kafka_broker_stall_timeout",
    "kafka_broker_talks_on": "kafka_broker_current_inter_broker_listener",
    "kafka_content_confirm_also": "kafka_content_confirm_other",
    "kafka_content_limited": "kafka_content_partial_run",
    "kafka_content_programs": "kafka_content_service_accounts",
    "kafka_content_refused": "kafka_content_removal_refused",
    "kafka_content_thorough": "kafka_content_report_undeclared_keys",
    "kafka_content_throttles_left": "kafka_content_stale_throttles",
    "kafka_disks_patience": "kafka_disks_stall_timeout",
    "monitoring_host_root": "monitoring_disk_mounts and monitoring_space_dirs",
    "monitoring_more_entries": "monitoring_extra_entries",
    "monitoring_node_uid": "service_uids, as {node_exporter: 10002}",
    "monitoring_number": "monitoring_instance_number",
    "monitoring_spark_page_word": "monitoring_spark_page_login",
    "pipeline_limited": "pipeline_partial_run",
    "pipeline_page_word": "pipeline_page_login",
    "roll_ends": "roll_leaders",
    "roll_mark_seconds": "roll_silence_seconds",
    "roll_silent_seconds": "roll_silence_seconds",
    "security_closing": "security_migration, with enforced for shut",
    "security_door_step": "security_migration_port_offset",
    "service_data_follows": "service_chown_data",
    "service_uid": "service_uids, as {kafka_broker: 10001}",
    "spark_page_word": "spark_page_login",
    "zookeeper_asks_by_certificate": "zookeeper_health_certificate",
}
# Similarity from which a name without a role's prefix counts as a typo of a known name.
_TYPO_SIMILARITY = 0.9


def unknown_variables(site: Site) -> Iterator[Problem]:
    """No variable has the prefix of a role without being its option, or looks like a typo."""
    options = (role.options for role in site.roles.values())
    known = set(SITE_VARIABLES).union(*options)
    seen: set[str] = set()
    for host, variables in site.hosts.items():
        allowed = {str(n) for n in site.value(host, "preflight_known_variables", [])}
        for name in variables:
            if name in known or name in seen or name in allowed:
                continue
            seen.add(name)
            if name in RENAMED:
                found = "a variable of an earlier release"
                yield Problem(host, name, found, f"{RENAMED[name]} in its place")
                continue
            role = _role_of(name, site)
            if role is not None:
                own = site.roles[role].options
                meant = _meant(name, role, own)
                yield Problem(
                    host,
                    name,
                    f"a variable that is no option of role {role}",
                    f"{meant} (did you mean that?)" if meant else _options(role),
                )
            elif meant := _near_miss(name, known):
                yield Problem(
                    host,
                    name,
                    f"an unknown variable that looks like {meant}",
                    f"{meant}, or {name} listed in preflight_known_variables",
                )


def _role_of(name: str, site: Site) -> str | None:
    """Return the role with the longest name that is a prefix of ``name``."""
    owners = [role for role in site.roles if name.startswith(f"{role}_")]
    return max(owners, key=len, default=None)


def _meant(name: str, role: str, options: Iterable[str]) -> str | None:
    """Return the option that was likely meant, compared without the role's prefix."""
    rest = {option.removeprefix(f"{role}_"): option for option in options}
    near = did_you_mean(name.removeprefix(f"{role}_"), rest)
    return rest[near] if near else None


def _options(role: str) -> str:
    return (
        f"the options in roles/{role}/meta/argument_specs.yml, "
        "or a name listed in preflight_known_variables"
    )


def _near_miss(name: str, known: set[str]) -> str | None:
    if name.startswith(("_", "ansible_")):
        return None
    near = difflib.get_close_matches(name, known, n=1, cutoff=_TYPO_SIMILARITY)
    return near[0] if near else None
