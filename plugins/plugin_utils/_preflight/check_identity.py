# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Names, ids and users that identify clusters and instances."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils._common.suggestions import list_allowed
from .._catalogue import SERVICES, container_users
from .._catalogue.kinds import Service
from .._declarations.inventory_values import whole_number
from .._declarations.problem import Problem, join_names
from .._site.kafka import KAFKA
from .._site.site_instances import instances, service_hosts
from .._site.site_model import Site

# The name is part of names of containers and directories, and of DNS names in compose networks.
_CLUSTER_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")

# Prefix of the variables that hold the brokers' properties for each mode.
_MODE_PREFIX = "kafka_metadata_properties_"


def cluster_name(site: Site) -> Iterator[Problem]:
    """All hosts have one cluster name, valid in names of containers, directories and DNS."""
    found: dict[str, list[str]] = {}
    ours = dict.fromkeys([*site.members("metal"), *(host for host, _ in instances(site))])
    for host in ours:
        found.setdefault(str(site.value(host, "cluster_name", "")), []).append(host)
    for name, hosts in found.items():
        if not _CLUSTER_NAME.fullmatch(name):
            yield Problem(
                hosts[0],
                "cluster_name",
                repr(name) if name else "nothing",
                "1 to 40 lower-case letters, digits and inner hyphens, for example prod-1",
            )
    if len(found) > 1:
        yield Problem("all", "cluster_name", join_names(map(repr, found)), "one name for all hosts")


def metadata_mode(site: Site) -> Iterator[Problem]:
    """The metadata mode is supported, and the same for all brokers."""
    found: dict[str, str] = {}
    for host in site.members(KAFKA.group):
        modes = {
            n.removeprefix(_MODE_PREFIX) for n in site.hosts[host] if n.startswith(_MODE_PREFIX)
        }
        mode = str(site.value(host, "kafka_metadata_mode", ""))
        found.setdefault(mode, host)
        if modes and mode not in modes:
            yield Problem(
                host,
                "kafka_metadata_mode",
                repr(mode) if mode else "nothing",
                list_allowed(mode, modes),
            )
            return
    if len(found) > 1:
        yield Problem(
            KAFKA.group, "kafka_metadata_mode", join_names(found), "one mode for all brokers"
        )


def instance_ids(site: Site) -> Iterator[Problem]:
    """Each instance of a service with ids has a unique id within the allowed range."""
    for service in SERVICES:
        if service.id:
            yield from _ids_of(site, service)


def users(site: Site) -> Iterator[Problem]:
    """Each service has a unique user id, from the range that has names in the images."""
    checked: list[Any] = []
    for host in dict.fromkeys([*site.members("metal"), *(host for host, _ in instances(site))]):
        own = site.value(host, "service_uids", {})
        # Most sites declare it once for all hosts.
        if own not in checked:
            checked.append(own)
            yield from _users_of(host, own)


def _users_of(host: str, own: Any) -> Iterator[Problem]:
    if not isinstance(own, Mapping):
        yield Problem(host, "service_uids", repr(own), "user ids by service")
        return
    try:
        known = container_users.with_site_ids(own, container_users.users())
    except container_users.UserError as error:
        yield Problem(host, error.where, error.found, error.allowed)
        return
    first, last = container_users.NAMED[0], container_users.NAMED[-1]
    for name in own:
        uid, where = known[name].uid, f"service_uids.{name}"
        others = [each for each, user in known.items() if each != name and user.uid == uid]
        if others:
            yield Problem(host, where, f"{uid}, the user of {join_names(others)}", "one of its own")
        elif uid not in container_users.NAMED:
            yield Problem(host, where, str(uid), f"{first} to {last}")


def _ids_of(site: Site, service: Service) -> Iterator[Problem]:
    variable, (lowest, highest) = str(service.id), service.id_range
    allowed = f"a whole number of its own from {lowest} to {highest}"
    owners: dict[int, str] = {}
    for host in service_hosts(site, service):
        value = site.value(host, variable)
        number = None if value is None else whole_number(value)
        if number is None:
            yield Problem(host, variable, "nothing" if value is None else repr(value), allowed)
        elif not lowest <= number <= highest:
            yield Problem(host, variable, str(number), allowed)
        elif number in owners:
            yield Problem(host, variable, f"{number}, which {owners[number]} also has", allowed)
        else:
            owners[number] = host
