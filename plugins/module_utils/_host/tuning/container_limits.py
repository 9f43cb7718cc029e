# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Actual limits of running containers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..container_processes import container_id
from .engine_limits import KINDS, hard_limit, limit_text
from .host_access import Host
from .setting import Row


def inspect(host: Host, wanted: Mapping[str, int], engine: list[dict[str, Any]]) -> list[Row]:
    """Compare limits of open files with the declared ones by container name; 0 sets no limit.

    ``engine`` is the engine's list of running containers.
    """
    by_id: dict[str, str] = {
        c["Id"]: name.lstrip("/") for c in engine for name in c.get("Names") or ()
    }
    limits: dict[str, int] = {}
    for pid in filter(str.isdigit, host.names("/proc")):
        name = by_id.get(container_id(host.read(f"/proc/{pid}/cgroup") or "") or "", "")
        value = hard_limit(host.read(f"/proc/{pid}/limits") or "", KINDS["nofile"][0])
        if name in wanted and value is not None:
            limits[name] = min(value, limits.get(name, value))
    rows = []
    for name, count in wanted.items():
        row = Row(
            f"nofile {name}", str(count) if count else "engine's", "", limit_text(limits.get(name))
        )
        row.absent = name not in limits
        row.live_ok = limits.get(name, 0) >= count
        if row.absent:
            row.detail = "the container does not run"
        elif not row.live_ok:
            row.detail = "it was started with another limit: run make up, or restart it"
        rows.append(row)
    return rows
