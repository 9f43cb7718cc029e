# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Users of containers: one for each kind, so that none can read files of another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from . import SERVICES
from .kinds import Service, User

# Group of the directories that several kinds write to. Up to release 0.1 all containers had this
# group, so existing files belong to it.
SHARED = 10001
# Images of Java services have names for these user ids; Hadoop's client needs one.
NAMED = range(10001, 11000)


class UserError(ValueError):
    """A user is invalid; the message has the place, what was found and what is allowed."""

    def __init__(self, where: str, found: str, allowed: str) -> None:
        super().__init__(f"{where}: found {found}; allowed: {allowed}")
        self.where, self.found, self.allowed = where, found, allowed


def users(services: Iterable[Service] = SERVICES) -> dict[str, User]:
    """Users by the service in the containers' label; raises UserError."""
    found: dict[str, User] = {}
    for user in (user for service in services for user in service.container_users):
        if user.service in found:
            raise UserError("container_users", f"{user.service} twice", "once")
        found[user.service] = user
    return found


def with_site_ids(own: Mapping[str, Any], known: Mapping[str, User]) -> dict[str, User]:
    """``known`` users with the user ids that a site sets; raises UserError."""
    changed = dict(known)
    for name, uid in own.items():
        if name not in known:
            raise UserError("service_uids", str(name), ", ".join(sorted(known)))
        if isinstance(uid, bool) or not str(uid).isdecimal() or not 0 < int(uid) < 2**31:
            raise UserError(f"service_uids.{name}", repr(uid), "a user id above 0")
        changed[name] = replace(known[name], uid=int(uid))
    return changed


def container_user(service: str, own: Mapping[str, Any] | None = None) -> dict[str, int]:
    """``uid`` and ``gid`` of files of a service, and the ``group`` of its processes."""
    found = with_site_ids(own or {}, users())
    if service not in found:
        raise UserError("container_users", f"no user of {service}", ", ".join(sorted(found)))
    user = found[service]
    gid = user.gid or user.uid
    return {"uid": user.uid, "gid": gid, "group": SHARED if user.shared_group else gid}
