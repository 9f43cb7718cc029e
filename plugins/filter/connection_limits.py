# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for connection limits of brokers."""

from __future__ import annotations

from typing import Any

from ..plugin_utils._declarations import connection_limits as decide
from ..plugin_utils._declarations.service_data import plain


def _open(found: Any) -> decide.Open:
    """Open connections from M(metal.kafka.broker_connections); none for a new broker."""
    return decide.Open(found.get("listeners", {}), found.get("addresses", {}))


def connection_limits(
    listeners: Any, heap: Any, open_files: Any, found: Any, own: Any
) -> dict[str, Any]:
    """Keys of server.properties for client listeners; ``found`` is kafka_broker_previous."""
    found = plain(found)
    connections = found.get("connections", {})
    return decide.limits(
        decide.sizes(plain(heap), plain(open_files), plain(own)),
        plain(listeners),
        found.get("live", {}),
        _open(connections),
        connections.get("exempt", []),
        plain(own),
    )


def connection_messages(
    effective: Any, listeners: Any, heap: Any, open_files: Any, found: Any, own: Any, broker: Any
) -> list[str]:
    """Messages about the limits: a summary, and a warning for each limit that does not fit."""
    summary = decide.summary(plain(heap), plain(effective), plain(listeners))
    return ([summary] if summary else []) + decide.warnings(
        plain(broker),
        decide.sizes(plain(heap), plain(open_files), plain(own)),
        plain(effective),
        plain(own),
        _open(plain(found).get("connections", {})),
    )


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {
            "connection_limits": connection_limits,
            "connection_messages": connection_messages,
        }
