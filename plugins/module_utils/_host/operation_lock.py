# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""One operation at a time on a cluster: a file on each machine that says who is at work.

A lock whose owner has died is taken over by the next operation that starts on the same control
node: it resumes what was interrupted. Anybody else's lock is broken only by name.
"""

from __future__ import annotations

import getpass
import json
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

# On every machine; it survives a reboot.
DIRECTORY = "/var/lib/kafka-metal/locks"


@dataclass(frozen=True)
class Owner:
    """A process on a control node. ``started`` and ``boot`` tell it from a later one by its id."""

    node: str
    namespace: str
    boot: str
    pid: int
    started: str
    user: str

    @property
    def token(self) -> str:
        """A short name for this very process."""
        return f"{self.node}-{self.pid}-{self.started or '0'}"


@dataclass(frozen=True)
class Lock:
    """What the file says. ``since`` is by the machine's clock, in epoch seconds.

    ``resumed``: the operation goes on with what an interrupted one began at ``since``.
    """

    operation: str
    owner: Owner
    since: float
    resumed: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The lock in plain types."""
        return {**asdict(self), "token": self.owner.token}


def lock_of(text: str) -> Lock:
    """A lock out of its file; one that nobody can read is somebody's, of unknown kind."""
    try:
        found = json.loads(text)
        return Lock(
            operation=found["operation"],
            owner=Owner(**found["owner"]),
            since=found["since"],
            resumed=found["resumed"],
        )
    except (ValueError, KeyError, TypeError):
        return Lock("an unknown operation", Owner("unknown", "", "", 0, "", "unknown"), 0)


# -- on the control node -----------------------------------------------------------------------


def stat_of(pid: int) -> list[str]:
    """State and what follows from /proc/PID/stat; empty when there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stream:
            return stream.read().rpartition(")")[2].split()
    except OSError:
        return []


def text_of(path: str) -> str:
    """The text of a small file, empty when it cannot be read."""
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.read().strip()
    except OSError:
        return ""


def owner_of(pid: int) -> Owner:
    """The process ``pid`` of this node as an owner of locks."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        namespace = ""
    stat = stat_of(pid)
    return Owner(
        node=socket.gethostname(),
        namespace=namespace,
        boot=text_of("/proc/sys/kernel/random/boot_id"),
        pid=pid,
        started=stat[19] if stat else "",
        user=os.environ.get("SUDO_USER") or getpass.getuser(),
    )


def dead(owner: Owner, me: Owner) -> bool:
    """Whether ``owner`` was a process of the node that ``me`` runs on, and is no more.

    False whenever that cannot be known from here.
    """
    if owner.node != me.node:
        return False
    if owner.boot != me.boot:
        return True
    if owner.namespace != me.namespace:
        return False
    stat = stat_of(owner.pid)
    # A zombie has ended; nobody has taken note yet.
    return not stat or stat[0] in "ZX" or stat[19] != owner.started


# -- on a machine ------------------------------------------------------------------------------


def read(path: str) -> Lock | None:
    """The lock that stands there, None without one."""
    try:
        with open(path, encoding="utf-8") as stream:
            return lock_of(stream.read())
    except FileNotFoundError:
        return None


def take(path: str, lock: Lock) -> bool:
    """Put the lock there in one step, content and all; False when somebody was first."""
    os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
    temporary = f"{path}.{lock.owner.token}"
    with open(temporary, "w", encoding="utf-8") as stream:
        json.dump(lock.as_dict(), stream)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(temporary)
    return True


def drop(path: str, token: str) -> bool:
    """Remove the lock of ``token``; False when it is not there or somebody else's."""
    found = read(path)
    if found is None or found.owner.token != token:
        return False
    os.unlink(path)
    return True


def delete(path: str) -> bool:
    """Remove the lock of any operation; False when there is none."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def acquire(path: str, cluster: str, spec: Mapping[str, Any], me: Owner) -> dict[str, Any]:
    """Take the lock, or say who holds it.

    ``spec`` has ``operation``; ``replace``, the token of a dead owner; ``unlock``, the token of a
    lock that an operator wants broken, or the name of the cluster for any.
    """
    found = read(path)
    if found and found.owner.token == me.token:
        return answer(found, taken=True, nested=True)
    broken = found and spec["unlock"] in (found.owner.token, cluster)
    over = found and spec["replace"] == found.owner.token
    if found and not broken and not over:
        return answer(found, taken=False)
    # Another operation has nothing to resume: it begins by itself.
    resumes = bool(found and over and not broken and found.operation == spec["operation"])
    lock = Lock(
        operation=spec["operation"],
        owner=me,
        since=found.since if found and resumes else time.time(),
        resumed=resumes,
    )
    if found:
        drop(path, found.owner.token)
    if take(path, lock):
        return answer(lock, taken=True)
    return answer(read(path) or lock, taken=False)


def release(path: str, token: str, me: Owner) -> dict[str, Any]:
    """Drop the lock of ``token``, or without a token say whose lock there is."""
    dropped = bool(token) and drop(path, token)
    found = read(path)
    # Without a lock its owner is the process that asks, which is not dead.
    return {**answer(found or Lock("", me, 0), taken=False), "released": dropped}


def answer(lock: Lock, *, taken: bool, nested: bool = False) -> dict[str, Any]:
    """The result of the module cluster_lock."""
    return {
        "taken": taken,
        "nested": nested,
        "resumed": taken and lock.resumed,
        "since": lock.since,
        "lock": lock.as_dict(),
    }


def refusal(cluster: str, machine: str, lock: Mapping[str, Any]) -> str:
    """What an operator reads whose operation has to wait."""
    owner = lock["owner"]
    since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(lock["since"]))
    return (
        f"Another operation works on cluster {cluster}: {lock['operation']}, by {owner['user']} on "
        f"{owner['node']} (process {owner['pid']}), since {since}; found on {machine}. Nothing was "
        f"touched. When it has died, break its lock: -e unlock={lock['token']}"
    )
