# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Content and pipelines that earlier runs applied and that are no longer declared.

The roles refuse the same removals with the same messages, but after brokers were changed. Here the
applied state comes from the disks of the brokers' machines, so no broker needs to respond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...module_utils._common.errors import SpecError
from ...module_utils._content import acls, quotas, removals, topics, users
from ...module_utils._content.applied_state import (
    VARIABLES,
    Permission,
    RemovalError,
    confirmation,
    newest,
    select_removals,
    undefined_variables,
)
from .._declarations.inventory_values import is_true
from .._declarations.problem import Problem
from .._site.kafka import KAFKA
from .._site.pipeline import PIPELINE
from .._site.services import entries
from .._site.site_model import Site
from .check_content import read_content
from .check_pipelines import PIPELINES

APPLIED_FILE = "kafka_content_applied_file"
# By kind: the reader of a module's arguments, and the function that adds removals to its result.
_REMOVALS: Mapping[str, tuple[Callable[[Mapping[str, Any]], Any], Callable[..., Any]]] = {
    "users": (users.parse_specs, removals.with_user_removals),
    "acls": (acls.parse_specs, removals.with_acl_removals),
    "quotas": (quotas.parse_specs, removals.with_quota_removals),
    "topics": (lambda given: topics.parse_specs(given["topics"]), removals.with_topic_removals),
}


def removals_confirmed(site: Site) -> Iterator[Problem]:
    """Removals of most users, ACLs, quotas, topic keys or pipelines are confirmed."""
    refused = [*_content(site), *_pipelines(site)]
    # One confirmation for all, because the next run needs all of them.
    kinds = {kind for _, _, error in refused for kind in error.kinds}
    first = site.members(KAFKA.group)[:1] if kinds else []
    deleted = [name for host in first for name in _absent(site, host)]
    for host, kind, error in refused:
        for message in error.messages:
            found, _, remedy = message.removeprefix(f"{kind}: ").rpartition("; ")
            hint = f" ({confirmation(kinds, deleted)})" if kinds else ""
            yield Problem(host, VARIABLES[kind][0], f"{kind}: {found}", f"{remedy}{hint}")


def _absent(site: Site, host: str) -> list[str]:
    """Topics under absent: the cluster refuses to delete one of them without a confirmation."""
    declared = read_content(site, host)
    return list(declared["topics"]["absent"]) if declared else []


def applied_states(site: Site) -> Iterator[Problem]:
    """The files with applied content on brokers' machines can be read."""
    for host in site.members(KAFKA.group):
        if error := _applied(site, host).get("error"):
            where, _, rest = error.partition(": found ")
            found, _, allowed = rest.partition("; allowed: ")
            yield Problem(host, where, found, allowed)


def _applied(site: Site, host: str) -> Mapping[str, Any]:
    facts = site.facts.get(site.machine(host), {})
    return facts.get("applied", {}).get(str(site.value(host, APPLIED_FILE, "")), {})


def _content(site: Site) -> Iterator[tuple[str, str, RemovalError]]:
    """Yield host, kind and error of each kind of content whose removal is refused."""
    brokers = site.members(KAFKA.group)
    last = newest(_applied(site, host).get("state") for host in brokers)
    for host in brokers[:1] if last else ():
        declared = read_content(site, host)
        if declared is None:
            return
        confirmed = site.value(host, "kafka_content_confirm_removal", [])
        names = confirmed.split(",") if isinstance(confirmed, str) else confirmed
        permission = Permission(
            limited=is_true(site.value(host, "kafka_content_partial_run", False)),
            missing=frozenset(undefined_variables(last, site.own_names(host))),
            confirmed=frozenset(str(name).strip() for name in names) - {""},
        )
        for kind, applied in (last.get("content") or {}).items():
            if kind in _REMOVALS:
                try:
                    read, add_removals = _REMOVALS[kind]
                    add_removals(read(declared[kind]), applied, permission)
                except RemovalError as error:
                    yield host, kind, error
                except SpecError:
                    # Its own check reports an invalid declaration.
                    continue


def _pipelines(site: Site) -> Iterator[tuple[str, str, RemovalError]]:
    """Yield host and error of each machine on which the removal of drivers is refused."""
    for host in site.members(PIPELINE.group):
        facts = site.facts.get(site.machine(host), {})
        if not facts.get("engine"):
            # Without the engine, only running containers are known.
            continue
        prefix = f"{PIPELINE.kind}-"
        running = facts.get("instances", {}).get(PIPELINE.kind, [])
        drivers = {name.removeprefix(prefix) for name in running}
        permission = Permission(
            limited=is_true(site.value(host, "pipeline_partial_run", False)),
            missing=frozenset({PIPELINES} - set(site.own_names(host))),
            confirmed=frozenset(
                {"pipelines"}
                if is_true(site.value(host, "pipeline_confirm_removal", False))
                else ()
            ),
        )
        try:
            declared = set(map(str, entries(site, host, PIPELINES)))
            select_removals("pipelines", drivers, drivers - declared, permission)
        except RemovalError as error:
            yield host, "pipelines", error
