# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for the TLS migration of a running cluster."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._declarations.service_data import to_builtin
from ..plugin_utils._security import tls_migration
from ..plugin_utils._security.security_modes import SecurityError


def refusing(name: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` with plain types as arguments; SecurityError becomes Ansible's error."""

    @wraps(function)
    def guarded(*args: Any) -> Any:
        try:
            return function(*map(to_builtin, args))
        except SecurityError as error:
            raise AnsibleFilterError(f"metal.kafka.{name}: {error}") from error

    return guarded


def ports(listeners: Any, which: Any, offset: Any) -> list[int]:
    """Ports of ``listeners``, or of the secured listeners next to them."""
    added = int(offset) if which == "secured" else 0
    return [int(at["port"]) + added for at in listeners.values()]


FILTERS: dict[str, Callable[..., Any]] = {
    "migration_phase": tls_migration.broker_phase,
    "migration_blocker": tls_migration.phase_blocker,
    "migration_ports": ports,
    "migration_steps": tls_migration.steps,
}


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {name: refusing(name, function) for name, function in FILTERS.items()}
