# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters that select hosts by the facts that preflight has read from their machines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._catalogue import SERVICES
from ..plugin_utils._images import image_checks, images
from ..plugin_utils._operations import host_selection
from ..plugin_utils._site import machines

# A pattern that matches no host.
NO_HOST = "none"
COLLECTION = Path(__file__).resolve().parents[2]


def variables(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> dict[str, Any]:
    """Variables by host; empty before the first play, as in a syntax check."""
    return {host: hostvars[host] for host in hosts if host in hostvars}


@cache
def catalogue(registry: str, versions: str) -> Any:
    """The catalogue of images; cached, since it is the same for most hosts."""
    return images.catalogue(registry=registry, wanted=json.loads(versions))


def references(found: Mapping[str, Any]) -> list[str]:
    """References of the images that a host needs."""
    versions = json.dumps(found.get("image_versions") or {}, sort_keys=True)
    known = catalogue(str(found.get("images_registry") or ""), versions)
    wanted = found.get("images_required") or [i.name for i in known if i.runtime and not i.optional]
    return [images.find(name, known).reference for name in wanted]


def without_engine(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> list[str]:
    """Hosts whose engine is not known to be installed, with its Python library."""
    return host_selection.without_engine(variables(hosts, hostvars))


def with_unreachable_engine(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> list[str]:
    """Hosts with an installed engine that did not respond."""
    return host_selection.with_unreachable_engine(variables(hosts, hostvars))


def first_reachable(
    group: str, groups: Mapping[str, Sequence[str]], hostvars: Mapping[str, Any]
) -> list[str]:
    """A pattern for the first host of a group whose machine is not known to be unreachable."""
    return host_selection.first_reachable(*_reached(group, groups, hostvars)) or [NO_HOST]


def never_started(
    groups: Mapping[str, Sequence[str]], hostvars: Mapping[str, Any], cluster: str
) -> str:
    """Why the state of a cluster cannot be read; empty if a machine has services of it.

    Machines that do not respond may have some.
    """
    read = {
        name: found.get("roll_platform_status") or {}
        for name, found in variables(groups.get(machines.GROUP, ()), hostvars).items()
    }
    responding = {name: found for name, found in read.items() if "has_services" in found}
    if len(responding) < len(read) or any(found["has_services"] for found in responding.values()):
        return ""
    return (
        f"cluster {cluster} was never started, or was deleted: found no directory of its services "
        f"on {', '.join(responding)}. Start it with `make up` (playbooks/site.yml), or select "
        "another cluster with CLUSTER= (cluster_name)"
    )


def status_roles(
    groups: Mapping[str, Sequence[str]], hostvars: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Roles that read the state of the platform, by the host on which each of them runs.

    A role with a task file C(status) runs on the first reachable host of its group, or on all of
    them if its services only know their own state (C(reads_own_status) in the catalogue).
    """
    found: dict[str, list[str]] = {}
    for role, group in _groups_by_role().items():
        select = (
            host_selection.all_reachable
            if role in _own_status_roles()
            else host_selection.first_reachable
        )
        for host in select(*_reached(group, groups, hostvars)):
            found.setdefault(host, []).append(role)
    return found or {NO_HOST: []}


@cache
def _own_status_roles() -> set[str]:
    """Roles whose hosts each read the state of their own services."""
    return {service.role for service in SERVICES if service.reads_own_status}


@cache
def _groups_by_role() -> dict[str, str]:
    """The first group with instances of each role that can read the state of its services."""
    found: dict[str, str] = {}
    for service in SERVICES:
        status = COLLECTION / "roles" / service.role / "tasks" / "status.yml"
        if service.group != machines.GROUP and status.is_file():
            found.setdefault(service.role, service.group)
    return found


def _reached(
    group: str, groups: Mapping[str, Sequence[str]], hostvars: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str], dict[str, Any]]:
    """Variables of a group's hosts, the machine of each, and the variables of the machines."""
    known = variables(groups.get(group, ()), hostvars)
    places = {host: _machine(host, found) for host, found in known.items()}
    return known, places, variables(list(places.values()), hostvars)


def without_identity(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> list[str]:
    """Hosts whose identity data was not read; all hosts in the first play."""
    return host_selection.without_identity(
        {host: {} for host in hosts} | variables(hosts, hostvars)
    )


def identities(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> Any:
    """Identity data of the cluster on each machine, for metal.kafka.credentials."""
    return host_selection.identities(list(hosts), variables(hosts, hostvars))


def without_images(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> list[str]:
    """Hosts that are not known to have all images that they need."""
    try:
        return host_selection.without_images(variables(hosts, hostvars), references)
    except image_checks.ImageError as error:
        raise AnsibleFilterError(f"metal.kafka.without_images: {error}") from error


def one_per_machine(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> list[str]:
    """The first of the hosts that are services of the same machine."""
    first: dict[str, str] = {}
    for host, found in ({each: {} for each in hosts} | variables(hosts, hostvars)).items():
        first.setdefault(_machine(host, found), host)
    return list(first.values())


def _machine(host: str, found: Mapping[str, Any]) -> str:
    """The machine of a host, from its variables."""
    return str(found.get("metal_machine", host))


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {
            "identities": identities,
            "first_reachable": first_reachable,
            "never_started": never_started,
            "one_per_machine": one_per_machine,
            "status_roles": status_roles,
            "with_unreachable_engine": with_unreachable_engine,
            "without_engine": without_engine,
            "without_identity": without_identity,
            "without_images": without_images,
        }
