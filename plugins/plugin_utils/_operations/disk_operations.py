# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Decisions of the verbs on disks: what lies on a disk, and whether it may be replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# What the host says of a disk that nobody can go on with, whatever the broker has noticed so far.
BROKEN = ("failed", "read_only", "missing")


def with_device(disks: Sequence[Mapping[str, Any]], name: str, device: str) -> list[dict[str, Any]]:
    """The declared disks, one of them found at another path; unchanged without a device."""
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
    """What disk_replace does with a disk: ``action`` is replace, resume or refuse, with a reason.

    ``disk`` is a record of M(metal.kafka.data_disks), ``cluster`` what M(metal.kafka.cluster_info)
    returns, ``log_dirs`` those that lie on the disk. A log dir that the broker uses is only given
    up when the host itself finds the disk broken, or the operator has named it in ``force``.
    """
    name, state, found = str(disk["name"]), str(disk["state"]), str(disk["found"])
    here = f"on the host it is {state} ({found})"
    if force:
        if force != name:
            return _answer("refuse", f"disk_force names {force}, and the disk to replace is {name}")
        return _answer("replace", f"{name} is replaced by force; {here}")
    if not cluster["reachable"]:
        problem = "; ".join(cluster["problems"])
        return _answer("refuse", f"the cluster does not say whether {name} is in use: {problem}")
    offline = [
        failed
        for failed in cluster["offline_log_dirs"]
        if failed["broker"] == broker and failed["path"] in log_dirs
    ]
    if offline:
        said = ", ".join(f"{failed['path']} ({failed['error']})" for failed in offline)
        return _answer("replace", f"broker {broker} reports {said} offline; {here}")
    if state in BROKEN:
        return _answer("replace", f"{here}, which broker {broker} may not have met yet")
    if broker not in {each["id"] for each in cluster["brokers"]}:
        if state == "ready":
            return _answer("resume", f"{name} is in order and broker {broker} is not registered")
        return _answer("replace", f"broker {broker} is not registered; {here}")
    return _answer(
        "refuse",
        f"{name} is healthy: broker {broker} uses it, and {here}. "
        f"To replace it all the same: -e disk_force={name}",
    )


def _answer(action: str, reason: str) -> dict[str, str]:
    return {"action": action, "reason": reason}
