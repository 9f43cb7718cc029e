# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Users of the APIs of services."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils._common.suggestions import list_allowed
from .._catalogue import SERVICES
from .._catalogue.kinds import ApiUsers
from .._declarations.problem import Problem
from .._site.site_instances import differing_hosts, service_hosts
from .._site.site_model import Site

# HTTP basic authentication ends the name at a colon, and the name is part of the name of a secret.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}")
_NAME_ALLOWED = "1 to 32 letters, digits, '.', '_' and '-', a letter or digit first"


def api_users_declared(site: Site) -> Iterator[Problem]:
    """Users of an API have usable names and known roles, the same ones on all instances."""
    for service in SERVICES:
        members = service_hosts(site, service)
        for users in service.api_users if members else ():
            for host, first in differing_hosts(site, service, users.declared, {}):
                wanted = f"the users of {first}: all instances serve the same API"
                yield Problem(host, users.declared, "other users", wanted)
            yield from _invalid(members[0], users, site.value(members[0], users.declared, {}))


def _invalid(host: str, users: ApiUsers, value: Any) -> Iterator[Problem]:
    if not isinstance(value, Mapping):
        allowed = f"a mapping of names to one of {', '.join(users.roles)}"
        yield Problem(host, users.declared, repr(value), allowed)
        return
    for name, role in value.items():
        where = f"{users.declared}.{name}"
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            yield Problem(host, where, f"the name {name!r}", _NAME_ALLOWED)
        if name in users.platform:
            yield Problem(host, where, "a user of the platform itself", "another name")
        if role not in users.roles:
            yield Problem(host, where, repr(role), list_allowed(str(role), users.roles))
