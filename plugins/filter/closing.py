# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters over the phases in which a cluster that runs is closed."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._declarations.service_data import plain
from ..plugin_utils._security import tls_migration
from ..plugin_utils._security.security_modes import SecurityError


def refusing(name: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` over plain types, with its complaint as Ansible's."""

    @wraps(function)
    def guarded(*args: Any) -> Any:
        try:
            return function(*map(plain, args))
        except SecurityError as error:
            raise AnsibleFilterError(f"metal.kafka.{name}: {error}") from error

    return guarded


def ports(listeners: Any, which: Any, step: Any) -> list[int]:
    """Numbers of the ports of ``listeners``, or of the doors beside them."""
    above = int(step) if which == "doors" else 0
    return [int(at["port"]) + above for at in listeners.values()]


FILTERS: dict[str, Callable[..., Any]] = {
    "closing_found": tls_migration.found,
    "closing_obstacle": tls_migration.obstacle,
    "closing_ports": ports,
    "closing_to_do": tls_migration.to_do,
}


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {name: refusing(name, function) for name, function in FILTERS.items()}
