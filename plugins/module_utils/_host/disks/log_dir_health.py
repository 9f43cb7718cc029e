# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Whether log dirs can be used, and why not: full, read-only, an error, no disk, or no answer."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..._common.units import size_text
from .bind_mounts import within

OK, FULL, READ_ONLY, FAILED, MISSING, SILENT = (
    *("ok", "full", "read_only", "failed", "missing", "silent"),
)
# Seconds for a disk that is busy. One that hangs answers never, and holds whoever asks it.
ANSWER_SECONDS = 10.0
# A broker that starts writes checkpoints and indexes: with less free than this part of the file
# system, and less than these bytes, it loses the log dir again at once.
FULL_PART, FULL_BYTES = 0.01, 256 * 1024**2

# What a disk is asked, in a process that may hang instead of this one.
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
    """A log dir: ``state`` is one of the words above, sizes are in bytes."""

    path: str
    state: str
    reason: str = ""
    size: int = 0
    free: int = 0


def ask(paths: Sequence[str], mounts: Iterable[str]) -> list[State]:
    """The state of each log dir; all are asked at the same time."""
    points = list(mounts)
    asked = []
    for path in paths:
        mount = next((each for each in points if within(path, each)), "")
        words = [sys.executable, "-c", _PROBE, path, mount]
        asked.append((path, mount, subprocess.Popen(words, stdout=subprocess.PIPE, text=True)))
    return [judge(path, mount, _answer(process)) for path, mount, process in asked]


def _answer(process: subprocess.Popen[str]) -> dict[str, Any] | None:
    try:
        said, _ = process.communicate(timeout=ANSWER_SECONDS)
    except subprocess.TimeoutExpired:
        # It ends when the disk answers; nobody can wait for that.
        process.kill()
        return None
    return dict(json.loads(said)) if said else {"error": "the question ended without an answer"}


def judge(path: str, mount: str, answer: Mapping[str, Any] | None) -> State:
    """What an answer means; None: there was none."""
    where = mount or path
    if answer is None:
        return State(path, SILENT, f"{where} has not answered for {ANSWER_SECONDS:.0f} s")
    if answer.get("missing"):
        return State(path, MISSING, f"no disk is mounted at {mount}")
    if "error" in answer:
        return State(path, FAILED, f"{where} answers with {answer['error']}")
    size, free = int(answer["size"]), int(answer["free"])
    if answer["read_only"]:
        return State(path, READ_ONLY, f"{where} is mounted read-only", size, free)
    if free < min(size * FULL_PART, FULL_BYTES):
        text = f"{where} is full: {size_text(free)} of {size_text(size)} are free"
        return State(path, FULL, text, size, free)
    return State(path, OK, "", size, free)


def next_step(state: State, mount: str, host: str, disk: str) -> str:
    """The command that leads on. ``mount`` and ``disk`` are empty where no disk is declared."""
    again = f'make restart S=kafka ARGS="--limit {host}"'
    if state.state == FULL:
        room = f"make disk-reserve HOST={host} DISK={disk}" if disk else "free space there"
        return f"{room}, then {again}"
    if not disk:
        return f"repair or mount it, then {again}"
    if state.state == SILENT:
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
    """Why a broker must not be stopped now: it would not start, or not serve what it serves.

    ``sources`` are what its container binds, ``disks`` names of disks by mount point.
    """
    bound, found = set(sources), []
    for each in states:
        mount = next((point for point in disks if within(each.path, point)), "")
        on = next_step(each, mount, host, disks.get(mount, ""))
        if each.state == FULL:
            found.append(
                f"{each.reason}: a broker that starts loses this log dir at once. Next: {on}"
            )
        elif each.state in (FAILED, SILENT) and bound & {each.path, mount}:
            found.append(
                f"{each.reason}, and the container is bound to it: the engine would not start it. "
                f"On {host}: umount --lazy {mount or each.path}, then run this again"
            )
    return found
