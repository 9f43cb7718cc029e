# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for settings and versions of brokers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._common import properties_file
from ..module_utils._kafka import live_keys
from ..plugin_utils._declarations.service_data import to_builtin
from ..plugin_utils._operations import upgrade


def from_properties(text: Any) -> dict[str, str]:
    """Keys and values of a properties file."""
    return properties_file.from_properties(to_builtin(text))


def static_properties(values: Any) -> dict[str, Any]:
    """Properties whose change requires a restart."""
    return live_keys.split_by_restart(to_builtin(values))[0]


def live_properties(values: Any) -> dict[str, Any]:
    """Properties that Kafka can change without a restart, as text."""
    try:
        return live_keys.live_texts(to_builtin(values))
    except properties_file.PropertyError as error:
        raise AnsibleFilterError(f"metal.kafka.live_properties: {error}") from error


def live_specs(hosts: Iterable[Any], dry: Any) -> list[dict[str, Any]]:
    """Option ``brokers`` of broker_config, from the variables of all brokers.

    In a dry run, a container that would start or restart does not use its new file yet.
    """
    return [
        {
            "id": host["kafka_broker_live"]["id"],
            "live": host["kafka_broker_live"]["live"],
            "previous_live_keys": host["kafka_broker_live"]["previous_live_keys"],
            "restarts": dry and host.get("service_state") in ("absent", "stale"),
        }
        for host in hosts
        if "kafka_broker_live" in host
    ]


def first_protocol(others: Any, image: Any) -> str:
    """Protocol version of a new broker."""
    try:
        return upgrade.first_protocol(to_builtin(list(others)), to_builtin(image))
    except upgrade.VersionError as error:
        raise AnsibleFilterError(
            f"metal.kafka.first_protocol: {error}; kafka_broker_protocol_version sets it"
        ) from error


def image_version(image: Any) -> str:
    """Version of Kafka in the tag of an image; empty if there is none."""
    try:
        return upgrade.image_version(to_builtin(image))
    except upgrade.VersionError:
        return ""


def protocol(version: Any) -> str:
    """Protocol version of a Kafka version; empty for an empty version."""
    return upgrade.oldest_protocol([to_builtin(version)])


def upgrade_problems(
    running: Any,
    protocols: Any,
    target: Any,
    health: Any = (),
    finish: Any = False,
    pinned: Any = False,
) -> list[str]:
    """Reasons why brokers cannot be upgraded to ``target`` now."""
    fleet = upgrade.Fleet(to_builtin(running), to_builtin(protocols), to_builtin(target))
    return upgrade.problems(fleet, to_builtin(list(health)), finish, pinned)


def protocol_problems(protocols: Any, target: Any) -> list[str]:
    """Reasons why an image of version ``target`` cannot be used with these protocol versions."""
    fleet = upgrade.Fleet(
        {}, {str(n): each for n, each in enumerate(to_builtin(list(protocols)))}, to_builtin(target)
    )
    if not fleet.newest_protocol or not target:
        return []
    return upgrade.path_problems(fleet.newest_protocol, fleet.target)


def upgrade_next_steps(protocols: Any, target: Any) -> str:
    """Remaining steps after an upgrade to ``target``."""
    return (
        upgrade.remaining_steps(to_builtin(list(protocols)), to_builtin(target)) if target else ""
    )


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {
            "first_protocol": first_protocol,
            "from_properties": from_properties,
            "image_version": image_version,
            "live_properties": live_properties,
            "live_specs": live_specs,
            "protocol": protocol,
            "protocol_problems": protocol_problems,
            "static_properties": static_properties,
            "upgrade_next_steps": upgrade_next_steps,
            "upgrade_problems": upgrade_problems,
        }
