# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Security mode, open listeners and declared users."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils._common.suggestions import list_allowed
from ...module_utils._kafka.scram import SHORTEST, ScramError, parse_secret
from .._catalogue import SERVICES
from .._declarations.inventory_values import whole_number
from .._declarations.problem import Problem, advice
from .._security import certificate_names, security_modes, service_accounts, tls_migration
from .._site import monitoring
from .._site.kafka import KAFKA
from .._site.site_instances import service_hosts
from .._site.site_model import Site

_MODE = "security_mode"
_MIGRATION = "security_migration"
_TRUST = "security_ensemble_trust"
_USERS = "kafka_content_users"
_PASSWORDS = "kafka_content_passwords"
_ALLOWED_PASSWORD = f"text of at least {SHORTEST} printable characters, not the user's name"
_NUMBERS = {
    "security_warn_days": "days, a whole number",
    "security_migration_port_offset": "a whole number",
}


def security_mode(site: Site) -> Iterator[Problem]:
    """security_mode is a known mode, and the same on all hosts."""
    found = {
        str(site.value(host, _MODE, security_modes.DEFAULT)) for host in site.members(KAFKA.group)
    }
    for value in sorted(found - set(security_modes.MODES)):
        yield Problem(KAFKA.group, _MODE, repr(value), f"one of {', '.join(security_modes.MODES)}")
    if len(found) > 1:
        yield Problem(KAFKA.group, _MODE, f"{len(found)} values", "one for the whole cluster")


def security_migration(site: Site) -> Iterator[Problem]:
    """security_migration is a known phase, and security_mode enables security."""
    members = site.members(KAFKA.group)
    found = {str(site.value(host, _MIGRATION, "")) for host in members}
    allowed = ", ".join(f"'{each}'" for each in tls_migration.GOALS)
    for value in sorted(found - set(tls_migration.GOALS)):
        yield Problem(KAFKA.group, _MIGRATION, repr(value), f"one of {allowed}")
    if len(found) > 1:
        yield Problem(KAFKA.group, _MIGRATION, f"{len(found)} values", "one for the whole cluster")
    modes = {str(site.value(host, _MODE, security_modes.DEFAULT)) for host in members}
    if found != {""} and "plain" in modes:
        allowed = ", ".join(name for name, mode in security_modes.MODES.items() if mode.secured)
        yield Problem(KAFKA.group, _MODE, f"plain, and {_MIGRATION}", f"one of {allowed}")


def services_need_certificates(site: Site) -> Iterator[Problem]:
    """No service that needs certificates is in a site whose security mode has none."""
    for service in SERVICES:
        for host in service_hosts(site, service) if service.needs_certificates else ():
            name = str(site.value(host, _MODE, security_modes.DEFAULT))
            mode = security_modes.MODES.get(name)
            if mode and not mode.tls:
                secured = [each for each in security_modes.MODES if security_modes.MODES[each].tls]
                allowed = f"{', '.join(secured)}, or no host in the group {service.group}"
                yield Problem(host, _MODE, f"{name}, without certificates", allowed)


def quorum_trust(site: Site) -> Iterator[Problem]:
    """security_ensemble_trust names a known CA for traffic between servers of metadata."""
    found = {str(site.value(host, _TRUST, "own")) for host in site.members(KAFKA.group)}
    for value in sorted(found - {"own", "platform"}):
        yield Problem(KAFKA.group, _TRUST, repr(value), "one of 'own', 'platform'")
    if len(found) > 1:
        yield Problem(KAFKA.group, _TRUST, f"{len(found)} values", "one for the whole cluster")


def security_numbers(site: Site) -> Iterator[Problem]:
    """Days and ports of security that no role validates are whole numbers."""
    for host in site.hosts:
        for variable, meaning in _NUMBERS.items():
            value = site.value(host, variable)
            if value is not None and (whole_number(value) or 0) < 1:
                yield Problem(host, variable, repr(value), f"{meaning}, from 1")


def plain_on_loopback(site: Site) -> Iterator[Problem]:
    """A cluster without security listens only on loopback addresses."""
    exposed = sorted(
        f"{name} of {host} on {at['bind']}"
        for host in site.members(KAFKA.group)
        if str(site.value(host, _MODE, security_modes.DEFAULT)) == "plain"
        for name, at in _listeners(site, host)
        if not security_modes.is_loopback(str(at["bind"]))
    )
    if exposed:
        yield Problem(
            KAFKA.group,
            _MODE,
            f"plain, so that every client that reaches {exposed[0]}"
            + (f" (or {len(exposed) - 1} more)" if len(exposed) > 1 else "")
            + " can read, write and delete",
            "tls_scram or mtls, or listeners on 127.0.0.1",
        )


def monitoring_on_loopback(site: Site) -> Iterator[Problem]:
    """Prometheus and Alertmanager without TLS listen only on loopback addresses."""
    for host in site.members(monitoring.GROUP):
        bind = str(site.value(host, "monitoring_bind", "127.0.0.1"))
        if not security_modes.is_loopback(bind) and not site.value(host, "monitoring_web", {}):
            mode = security_modes.MODES.get(str(site.value(host, _MODE, security_modes.DEFAULT)))
            login = mode and mode.secured and not site.value(host, "monitoring_web_open", False)
            yield Problem(
                host,
                "monitoring_bind",
                f"{bind}, where "
                + (
                    "passwords cross the network unencrypted"
                    if login
                    else "no password is required"
                )
                + ": clients can read all metrics and silence all alerts",
                "127.0.0.1, or users and certificates in monitoring_web",
            )


def agents_on_loopback(site: Site) -> Iterator[Problem]:
    """Metrics agents, which have no authentication, listen only on loopback addresses."""
    for service in SERVICES:
        where = service.metrics_bind
        found = {str(site.value(host, where, "127.0.0.1")) for host in service_hosts(site, service)}
        for bind in sorted(each for each in found if not security_modes.is_loopback(each)):
            exposed = f"{bind}, where metrics can be read without a password"
            wanted = "a firewall that admits only the hosts of the group monitoring"
            yield advice(service.group, where, exposed, wanted)


def reserved_user_names(site: Site) -> Iterator[Problem]:
    """No declared user has the name of a service account of the platform."""
    pipelines = {
        str(name) for host in site.hosts for name in _names(site, host, "pipeline_pipelines")
    }
    reserved = {
        security_modes.OPERATOR,
        service_accounts.DEMO,
        *(name for service in SERVICES for name in service.service_accounts),
        *(f"{service_accounts.PIPELINE}{name}" for name in pipelines),
    }
    for host in site.members(KAFKA.group)[:1]:
        for name in _names(site, host, _USERS):
            if name in reserved or certificate_names.is_reserved(name):
                found = "a name reserved for the platform"
                yield Problem(host, f"{_USERS}.{name}", found, "another name")


def users_with_own_password(site: Site) -> Iterator[Problem]:
    """The site chooses passwords only of users that it declares; services have generated ones."""
    for host in site.members(KAFKA.group)[:1]:
        declared = _names(site, host, _USERS)
        given = site.value(host, _PASSWORDS, {})
        if given and not isinstance(given, dict):
            yield Problem(host, _PASSWORDS, "no mapping", "a mapping from users to passwords")
            continue
        for name, password in (given or {}).items():
            if name not in declared:
                known = list_allowed(name, declared) if declared else "none so far"
                allowed = f"users in {_USERS}: {known}"
                yield Problem(host, f"{_PASSWORDS}.{name}", "no declared user", allowed)
                continue
            # The text of the error does not contain the password.
            try:
                parse_secret(str(name), password)
            except ScramError as error:
                found = str(error)
                yield Problem(host, f"{_PASSWORDS}.{name}", found, _ALLOWED_PASSWORD)


def _listeners(site: Site, host: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Listeners with a bind address; the check port_numbers reports the others."""
    found = site.value(host, "kafka_broker_listeners", {})
    for name, at in found.items() if isinstance(found, dict) else ():
        if isinstance(at, dict) and at.get("bind"):
            yield str(name), at


def _names(site: Site, host: str, variable: str) -> list[str]:
    """Keys of a variable that is a dict; empty for another type."""
    found = site.value(host, variable, None)
    return [str(name) for name in found] if isinstance(found, dict) else []
