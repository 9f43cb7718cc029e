# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Security mode and declared users."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._catalogue import SERVICES
from .._declarations.problem import Problem, advice
from .._security import certificate_names, security_modes, service_accounts, tls_migration
from .._site import monitoring
from .._site.kafka import KAFKA
from .._site.site_instances import hosts_of
from .._site.site_model import Site

_MODE = "security_mode"
_MIGRATION = "security_migration"
_TRUST = "security_ensemble_trust"
_USERS = "kafka_content_users"


def security_word(site: Site) -> Iterator[Problem]:
    """security_mode is known, and the same on all hosts."""
    found = {
        str(site.value(host, _MODE, security_modes.DEFAULT)) for host in site.members(KAFKA.group)
    }
    for word in sorted(found - set(security_modes.MODES)):
        yield Problem(KAFKA.group, _MODE, repr(word), f"one of {', '.join(security_modes.MODES)}")
    if len(found) > 1:
        yield Problem(KAFKA.group, _MODE, f"{len(found)} words", "one for the whole cluster")


def migration_value(site: Site) -> Iterator[Problem]:
    """security_migration is known, and security_mode enables security."""
    members = site.members(KAFKA.group)
    found = {str(site.value(host, _MIGRATION, "")) for host in members}
    allowed = ", ".join(f"'{each}'" for each in tls_migration.GOALS)
    for word in sorted(found - set(tls_migration.GOALS)):
        yield Problem(KAFKA.group, _MIGRATION, repr(word), f"one of {allowed}")
    if len(found) > 1:
        yield Problem(KAFKA.group, _MIGRATION, f"{len(found)} words", "one for the whole cluster")
    modes = {str(site.value(host, _MODE, security_modes.DEFAULT)) for host in members}
    if found != {""} and "plain" in modes:
        allowed = ", ".join(name for name, mode in security_modes.MODES.items() if mode.secured)
        yield Problem(KAFKA.group, _MODE, f"plain, and {_MIGRATION}", f"one of {allowed}")


def trust_word(site: Site) -> Iterator[Problem]:
    """A known value says which CA servers of the ensemble trust among each other."""
    found = {str(site.value(host, _TRUST, "own")) for host in site.members(KAFKA.group)}
    for word in sorted(found - {"own", "platform"}):
        yield Problem(KAFKA.group, _TRUST, repr(word), "one of 'own', 'platform'")
    if len(found) > 1:
        yield Problem(KAFKA.group, _TRUST, f"{len(found)} words", "one for the whole cluster")


def plain_on_loopback(site: Site) -> Iterator[Problem]:
    """A cluster that asks nobody who comes is reached from its own machine alone."""
    reached = sorted(
        f"{name} of {host} on {at['bind']}"
        for host in site.members(KAFKA.group)
        if str(site.value(host, _MODE, security_modes.DEFAULT)) == "plain"
        for name, at in _listeners(site, host)
        if not security_modes.loopback(str(at["bind"]))
    )
    if reached:
        yield Problem(
            KAFKA.group,
            _MODE,
            f"plain, and whoever reaches {reached[0]}"
            + (f" (or {len(reached) - 1} more)" if len(reached) > 1 else "")
            + " reads, writes and deletes",
            "tls_scram or mtls, or listeners on 127.0.0.1",
        )


def watched_on_loopback(site: Site) -> Iterator[Problem]:
    """Prometheus and Alertmanager without TLS are reached from their own machine alone."""
    for host in site.members(monitoring.GROUP):
        bind = str(site.value(host, "monitoring_bind", "127.0.0.1"))
        if not security_modes.loopback(bind) and not site.value(host, "monitoring_web", {}):
            mode = security_modes.MODES.get(str(site.value(host, _MODE, security_modes.DEFAULT)))
            asks = mode and mode.secured and not site.value(host, "monitoring_web_open", False)
            yield Problem(
                host,
                "monitoring_bind",
                f"{bind}, where "
                + ("the password can be read on the network" if asks else "no password is required")
                + ": it gives access to all metrics, and silences every alert",
                "127.0.0.1, or users and certificates in monitoring_web",
            )


def agents_ask_nobody(site: Site) -> Iterator[Problem]:
    """Agents of JVMs have no password: their figures are for the network they are bound to."""
    for service in SERVICES:
        word = f"{service.role}_metrics_bind"
        found = {str(site.value(host, word, "127.0.0.1")) for host in hosts_of(site, service)}
        for bind in sorted(each for each in found if not security_modes.loopback(each)):
            told = f"{bind}, where figures are read without a password"
            wanted = "a firewall that lets in the hosts of the group monitoring alone"
            yield advice(service.group, word, told, wanted)


def names_of_ours(site: Site) -> Iterator[Problem]:
    """No user of the site has a name that the platform's own programs have."""
    pipelines = {
        str(name) for host in site.hosts for name in _names(site, host, "pipeline_pipelines")
    }
    ours = {
        security_modes.OPERATOR,
        service_accounts.DEMO,
        *(name for service in SERVICES for name in service.accounts),
        *(f"{service_accounts.PIPELINE}{name}" for name in pipelines),
    }
    for host in site.members(KAFKA.group)[:1]:
        for name in _names(site, host, _USERS):
            if name in ours or certificate_names.reserved(name):
                yield Problem(host, f"{_USERS}.{name}", "a name of the platform itself", "another")


def _listeners(site: Site, host: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Listeners with a place; others are told by the checks of places."""
    found = site.value(host, "kafka_broker_listeners", {})
    for name, at in found.items() if isinstance(found, dict) else ():
        if isinstance(at, dict) and at.get("bind"):
            yield str(name), at


def _names(site: Site, host: str, variable: str) -> list[str]:
    """Names in a mapping; of another shape there are none here."""
    found = site.value(host, variable, None)
    return [str(name) for name in found] if isinstance(found, dict) else []
