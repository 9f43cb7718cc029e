# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Who containers run as: one user for each kind, so that none reads files of another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from . import SERVICES
from .kinds import Service, User

# Group of the directories that several kinds write to. It was the group of every container up to
# release 0.1, so that what is there already belongs to it.
SHARED = 10001
# Java containers find a name for these users in their image; Hadoop's client needs one.
NAMED = range(10001, 11000)


class UserError(ValueError):
    """A user that cannot be had: where, what was found and what is allowed."""

    def __init__(self, where: str, found: str, allowed: str) -> None:
        super().__init__(f"{where}: found {found}; allowed: {allowed}")
        self.where, self.found, self.allowed = where, found, allowed


def users(services: Iterable[Service] = SERVICES) -> dict[str, User]:
    """Users by the service that containers are labelled with; raises UserError."""
    found: dict[str, User] = {}
    for user in (user for service in services for user in service.users):
        if user.service in found:
            raise UserError("users", f"{user.service} twice", "once")
        found[user.service] = user
    return found


def with_own(own: Mapping[str, Any], known: Mapping[str, User]) -> dict[str, User]:
    """``known`` users with the numbers that a site sets; raises UserError."""
    changed = dict(known)
    for name, uid in own.items():
        if name not in known:
            raise UserError("service_uids", str(name), ", ".join(sorted(known)))
        if isinstance(uid, bool) or not str(uid).isdecimal() or not 0 < int(uid) < 2**31:
            raise UserError(f"service_uids.{name}", repr(uid), "a user id above 0")
        changed[name] = replace(known[name], uid=int(uid))
    return changed


def container_user(service: str, own: Mapping[str, Any] | None = None) -> dict[str, int]:
    """Of a service's containers: ``uid`` and ``gid`` own files, ``group`` is that of processes."""
    found = with_own(own or {}, users())
    if service not in found:
        raise UserError("users", f"no user of {service}", ", ".join(sorted(found)))
    user = found[service]
    gid = user.gid or user.uid
    return {"uid": user.uid, "gid": gid, "group": SHARED if user.shared else gid}
