# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A site's own entries of the role `monitoring`; roles/monitoring/vars/main.yml has their form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._declarations.inventory_values import whole_number
from .alerts import MonitoringError
from .known_options import check_keys, check_mapping

VARIABLE = "monitoring_extra_entries"
REQUIRED = ("image", "command", "port", "target", "memory")
KEYS = {
    *REQUIRED,
    *("bind", "checked", "directories", "files", "mounts", "reads_once", "secret_files"),
    *("textfile", "uid"),
}


def check_entries(entries: Any, names: Iterable[str]) -> None:
    """Raise MonitoringError for an invalid entry, and for one of the role's ``names``."""
    check_mapping(VARIABLE, entries)
    own = sorted(names)
    for name, entry in entries.items():
        where = f"{VARIABLE}.{name}"
        if name in own:
            raise MonitoringError(
                f"{VARIABLE}: found {name}; allowed: names other than {', '.join(own)}"
            )
        check_keys(where, entry, KEYS)
        for key in REQUIRED:
            if key not in entry or (not entry[key] and key != "command"):
                raise MonitoringError(f"{where}: found no {key}; required: {', '.join(REQUIRED)}")
        port = whole_number(entry["port"])
        if port is None or not 1 <= port <= 65535:
            raise MonitoringError(f"{where}.port: found {entry['port']}; allowed: 1 to 65535")
