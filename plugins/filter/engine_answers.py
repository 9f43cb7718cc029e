# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters that select hosts by the facts that preflight has read from their machines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._images import image_checks, images
from ..plugin_utils._operations import host_selection

# A pattern that matches no host.
NO_HOST = "none"


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
    known = variables(groups.get(group, ()), hostvars)
    machines = {host: str(found.get("metal_machine", host)) for host, found in known.items()}
    reached = variables(list(machines.values()), hostvars)
    return host_selection.first_reachable(known, machines, reached) or [NO_HOST]


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


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {
            "identities": identities,
            "first_reachable": first_reachable,
            "with_unreachable_engine": with_unreachable_engine,
            "without_engine": without_engine,
            "without_identity": without_identity,
            "without_images": without_images,
        }
