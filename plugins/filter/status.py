# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter that merges the results of roles into the state of the platform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..plugin_utils._operations import platform_state as states


def platform_state(
    hosts: Mapping[str, Mapping[str, Any]],
    cluster: str,
    bootstrap: list[str],
    access: str = "",
    places: Sequence[Mapping[str, str]] = (),
    warn_days: int = 14,
    readers: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """State for the screens of status and up, from the variables of all hosts.

    ``access`` is the operator's file for clients, empty for a cluster without security.
    """
    return {
        "cluster": cluster,
        "bootstrap": ",".join(bootstrap),
        "access": access,
        **states.platform_state(hosts, places, int(warn_days), readers),
    }


class FilterModule:
    """Filter of the status screen."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {"platform_state": platform_state}
