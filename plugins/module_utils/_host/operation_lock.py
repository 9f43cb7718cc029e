# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Lock for one operation at a time on a cluster: a file on each machine that names its owner.

The next operation on the same control node takes over the lock of an owner that has died, and
resumes the interrupted operation. Any other lock is broken only if the operator names it.
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

# On every machine; must survive a reboot.
DIRECTORY = "/var/lib/kafka-metal/locks"
# Names of operations in locks of release 0.1, with their names now.
RENAMED_OPERATIONS = {"restart of ensemble": "restart of zookeeper", "closing": "secure"}


@dataclass(frozen=True)
class Owner:
    """A process on a control node. ``started`` and ``boot`` distinguish it from a reused PID."""

    node: str
    namespace: str
    boot: str
    pid: int
    started: str
    user: str

    @property
    def token(self) -> str:
        """Return a short, unique name of the process."""
        return f"{self.node}-{self.pid}-{self.started or '0'}"


@dataclass(frozen=True)
class Lock:
    """Content of a lock file. ``since`` is epoch seconds by the machine's clock.

    ``resumed``: the operation continues an interrupted one that began at ``since``.
    """

    operation: str
    owner: Owner
    since: float
    resumed: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the lock in plain types."""
        return {**asdict(self), "token": self.owner.token}


def parse_lock(text: str) -> Lock:
    """Return the lock from a file's text; an unreadable one has an unknown owner."""
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


def read_stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the state on; empty without such a process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stream:
            return stream.read().rpartition(")")[2].split()
    except OSError:
        return []


def read_text(path: str) -> str:
    """Return the text of a small file; empty if it cannot be read."""
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.read().strip()
    except OSError:
        return ""


def lock_owner(pid: int) -> Owner:
    """Return the process ``pid`` of this node as an owner of locks."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        namespace = ""
    stat = read_stat(pid)
    return Owner(
        node=socket.gethostname(),
        namespace=namespace,
        boot=read_text("/proc/sys/kernel/random/boot_id"),
        pid=pid,
        started=stat[19] if stat else "",
        user=os.environ.get("SUDO_USER") or getpass.getuser(),
    )


def has_ended(owner: Owner, me: Owner) -> bool:
    """Whether ``owner`` was a process on the node of ``me`` and has ended.

    False if this node cannot determine it.
    """
    if owner.node != me.node:
        return False
    if owner.boot != me.boot:
        return True
    if owner.namespace != me.namespace:
        return False
    stat = read_stat(owner.pid)
    # A zombie has ended; its parent has not reaped it yet.
    return not stat or stat[0] in "ZX" or stat[19] != owner.started


# -- on a machine ------------------------------------------------------------------------------


def read(path: str) -> Lock | None:
    """Return the lock in a file; None without one."""
    try:
        with open(path, encoding="utf-8") as stream:
            return parse_lock(stream.read())
    except FileNotFoundError:
        return None


def create(path: str, lock: Lock) -> bool:
    """Create the lock file atomically, with its content; False if it exists already."""
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


def remove(path: str, token: str) -> bool:
    """Remove the lock of ``token``; False if it does not exist or has another owner."""
    found = read(path)
    if found is None or found.owner.token != token:
        return False
    os.unlink(path)
    return True


def remove_any(path: str) -> bool:
    """Remove the lock of any owner; False if it does not exist."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def current_name(operation: str) -> str:
    """Return the name of an operation; locks of an earlier release may have its old name."""
    return RENAMED_OPERATIONS.get(operation, operation)


def acquire(path: str, cluster: str, spec: Mapping[str, Any], me: Owner) -> dict[str, Any]:
    """Acquire the lock, or return the lock that exists.

    ``spec`` has ``operation``; ``replace``, the token of a dead owner; ``unlock``, the token of
    the lock that the operator wants to break, or the name of the cluster to break any.
    """
    found = read(path)
    if found and found.owner.token == me.token:
        return result(found, acquired=True, nested=True)
    broken = found and spec["unlock"] in (found.owner.token, cluster)
    over = found and spec["replace"] == found.owner.token
    if found and not broken and not over:
        return result(found, acquired=False)
    # A different operation does not resume the interrupted one.
    same = found is not None and current_name(found.operation) == spec["operation"]
    resumes = bool(over and not broken and same)
    lock = Lock(
        operation=spec["operation"],
        owner=me,
        since=found.since if found and resumes else time.time(),
        resumed=resumes,
    )
    if found:
        remove(path, found.owner.token)
    if create(path, lock):
        return result(lock, acquired=True)
    return result(read(path) or lock, acquired=False)


def release(path: str, token: str, me: Owner) -> dict[str, Any]:
    """Remove the lock of ``token``; without a token only return the existing lock."""
    removed = bool(token) and remove(path, token)
    found = read(path)
    # Without a lock the result has the caller as owner, which is not dead.
    return {**result(found or Lock("", me, 0), acquired=False), "released": removed}


def result(lock: Lock, *, acquired: bool, nested: bool = False) -> dict[str, Any]:
    """Return the result of the module cluster_lock."""
    return {
        "acquired": acquired,
        "nested": nested,
        "resumed": acquired and lock.resumed,
        "since": lock.since,
        "lock": lock.as_dict(),
    }


def refusal(cluster: str, machine: str, lock: Mapping[str, Any]) -> str:
    """Return the error message for an operation that cannot get the lock."""
    owner = lock["owner"]
    since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(lock["since"]))
    return (
        f"Another operation runs on cluster {cluster}: {lock['operation']}, by {owner['user']} on "
        f"{owner['node']} (process {owner['pid']}), since {since}; found on {machine}. Nothing was "
        f"changed. If that process has ended, break its lock: -e unlock={lock['token']}"
    )
