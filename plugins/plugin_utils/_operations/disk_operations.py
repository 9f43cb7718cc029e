# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Decisions of the disk verbs: the device of a disk, and whether it may be replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# States of a disk that is unusable, even if the broker has not noticed it yet.
BROKEN = ("failed", "read_only", "missing")


def with_device(disks: Sequence[Mapping[str, Any]], name: str, device: str) -> list[dict[str, Any]]:
    """Return the declared disks with ``device`` as path of disk ``name``; unchanged without it."""
    if not device:
        return [dict(disk) for disk in disks]
    return [
        {"name": disk["name"], "mount": disk["mount"], "path": device}
        if disk["name"] == name
        else dict(disk)
        for disk in disks
    ]


def validate(
    disk: Mapping[str, Any],
    broker: int,
    cluster: Mapping[str, Any],
    log_dirs: Sequence[str],
    force: str = "",
) -> dict[str, str]:
    """Return the action of disk_replace (replace, resume or refuse) and its ``reason``.

    ``disk`` is an entry of M(metal.kafka.data_disks), ``cluster`` the result of
    M(metal.kafka.cluster_info), ``log_dirs`` the log dirs on the disk. A log dir in use is only
    replaced if the host finds the disk broken, or if ``force`` names the disk.
    """
    name, state, found = str(disk["name"]), str(disk["state"]), str(disk["found"])
    here = f"on the host it is {state} ({found})"
    if force:
        if force != name:
            reason = f"disk_force names {force}, but the disk to replace is {name}"
            return _decision("refuse", reason)
        return _decision("replace", f"{name} is replaced by force; {here}")
    if not cluster["reachable"]:
        problem = "; ".join(cluster["problems"])
        return _decision("refuse", f"it is unknown whether {name} is in use: {problem}")
    offline = [
        failed
        for failed in cluster["offline_log_dirs"]
        if failed["broker"] == broker and failed["path"] in log_dirs
    ]
    if offline:
        paths = ", ".join(f"{failed['path']} ({failed['error']})" for failed in offline)
        return _decision("replace", f"broker {broker} reports {paths} offline; {here}")
    if state in BROKEN:
        return _decision("replace", f"{here}, which broker {broker} may not have noticed yet")
    if broker not in {each["id"] for each in cluster["brokers"]}:
        if state == "ready":
            return _decision("resume", f"{name} is ready and broker {broker} is not registered")
        return _decision("replace", f"broker {broker} is not registered; {here}")
    return _decision(
        "refuse",
        f"{name} is healthy: broker {broker} uses it, and {here}. "
        f"To replace it anyway: -e disk_force={name}",
    )


def _decision(action: str, reason: str) -> dict[str, str]:
    return {"action": action, "reason": reason}
