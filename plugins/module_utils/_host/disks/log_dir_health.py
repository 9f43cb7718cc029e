# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""State of log dirs: usable, full, read-only, failed, without disk, or unresponsive."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..._common.units import size_text
from .bind_mounts import is_within

OK, FULL, READ_ONLY, FAILED, MISSING, UNRESPONSIVE = (
    *("ok", "full", "read_only", "failed", "missing", "unresponsive"),
)
# Timeout of the probe, long enough for a busy disk. A hung disk blocks its readers forever.
TIMEOUT_SECONDS = 10.0
# A starting broker writes checkpoints and indexes. With less free space than this part of the file
# system and less than these bytes, its log dir goes offline again at once.
FULL_PART, FULL_BYTES = 0.01, 256 * 1024**2

# The probe runs in a process of its own, which may hang.
_PROBE = """
import json, os, sys
path, mount = sys.argv[1:]
def parent(path):
    while not os.path.lexists(path): path = os.path.dirname(path)
    return path
try:
    if mount:
        os.lstat(mount)
        os.listdir(mount)
        if not os.path.ismount(mount):
            print(json.dumps({"missing": True})); sys.exit()
    at = parent(path)
    if os.path.isdir(at): os.listdir(at)
    of = os.statvfs(at)
    print(json.dumps({"size": of.f_blocks * of.f_frsize, "free": of.f_bavail * of.f_frsize,
                      "read_only": bool(of.f_flag & os.ST_RDONLY)}))
except OSError as error:
    print(json.dumps({"error": error.strerror}))
"""


@dataclass(frozen=True)
class State:
    """A log dir: ``state`` is one of the constants above, sizes are in bytes."""

    path: str
    state: str
    reason: str = ""
    size: int = 0
    free: int = 0


def probe(paths: Sequence[str], mounts: Iterable[str]) -> list[State]:
    """Return the state of each log dir; the probes run in parallel."""
    points = list(mounts)
    probes = []
    for path in paths:
        mount = next((each for each in points if is_within(path, each)), "")
        command = [sys.executable, "-c", _PROBE, path, mount]
        probes.append((path, mount, subprocess.Popen(command, stdout=subprocess.PIPE, text=True)))
    return [classify(path, mount, _result(process)) for path, mount, process in probes]


def _result(process: subprocess.Popen[str]) -> dict[str, Any] | None:
    try:
        output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        # It ends only when the disk responds; do not wait for it.
        process.kill()
        return None
    return dict(json.loads(output)) if output else {"error": "the probe ended without a result"}


def classify(path: str, mount: str, result: Mapping[str, Any] | None) -> State:
    """Return the state for a probe's result; None: it timed out."""
    where = mount or path
    if result is None:
        return State(path, UNRESPONSIVE, f"{where} has not responded for {TIMEOUT_SECONDS:.0f} s")
    if result.get("missing"):
        return State(path, MISSING, f"no disk is mounted at {mount}")
    if "error" in result:
        return State(path, FAILED, f"{where} fails with {result['error']}")
    size, free = int(result["size"]), int(result["free"])
    if result["read_only"]:
        return State(path, READ_ONLY, f"{where} is mounted read-only", size, free)
    if free < min(size * FULL_PART, FULL_BYTES):
        text = f"{where} is full: {size_text(free)} of {size_text(size)} are free"
        return State(path, FULL, text, size, free)
    return State(path, OK, "", size, free)


def next_step(state: State, mount: str, host: str, disk: str) -> str:
    """Return the remedy. ``mount`` and ``disk`` are empty where no disk is declared."""
    again = f'make restart S=kafka ARGS="--limit {host}"'
    if state.state == FULL:
        room = f"make disk-reserve HOST={host} DISK={disk}" if disk else "free space there"
        return f"{room}, then {again}"
    if not disk:
        return f"repair or mount it, then {again}"
    if state.state == UNRESPONSIVE:
        return f"make disk-replace HOST={host} DISK={disk}, see the runbook DiskHung"
    if state.state == MISSING:
        return f"mount {mount}, then {again}; or make disk-replace HOST={host} DISK={disk}"
    return (
        f"on {host}: umount {mount} && mount {mount}, then {again}; "
        f"or make disk-replace HOST={host} DISK={disk}"
    )


def blockers(
    states: Sequence[State], sources: Iterable[str], disks: Mapping[str, str], host: str
) -> list[str]:
    """Return why a broker must not be stopped now: it would not start, or lose a log dir.

    ``sources`` are paths that its container binds, ``disks`` names of disks by mount point.
    """
    bound, found = set(sources), []
    for each in states:
        mount = next((point for point in disks if is_within(each.path, point)), "")
        remedy = next_step(each, mount, host, disks.get(mount, ""))
        if each.state == FULL:
            found.append(
                f"{each.reason}: a starting broker loses this log dir at once. Next: {remedy}"
            )
        elif each.state in (FAILED, UNRESPONSIVE) and bound & {each.path, mount}:
            found.append(
                f"{each.reason}, and the container binds it: the engine would not start it. "
                f"On {host}: umount --lazy {mount or each.path}, then run this again"
            )
    return found
