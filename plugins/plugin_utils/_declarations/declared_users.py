# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Users as an inventory declares them, with roles and quotas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._common.suggestions import list_allowed
from ...module_utils._content.acls import Acl
from ...module_utils._content.quotas import Entity
from ...module_utils._kafka.scram import ITERATIONS, MECHANISMS
from .declaration_reader import Reader, format_value
from .declared_acls import ACLS
from .declared_quotas import PER_CLIENT, note_quota, read_values
from .roles import read_role

USERS = "kafka_content_users"
USER_KEYS = ("roles", "quota", "mechanisms", "iterations")
# Hints for keys that do not belong to a user.
ELSEWHERE = {
    "password": "no password here, but in kafka_content_passwords, from a secret store",
    "acls": f"roles here, or single ACLs under {ACLS}",
    "groups": "roles such as {consumer: {topic: payments, group: reports}}",
}
LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}")
LOGIN_NAME = "1 to 128 letters, digits, '.', '_', '@', '+' and '-', a letter or digit first"
# Kafka's name of clients that do not authenticate; it cannot be declared.
ANONYMOUS = "ANONYMOUS"
# Subject of a certificate: a distinguished name has commas, blanks and equals signs.
SUBJECT = re.compile(r"[^*\s][^*\n]{0,511}")


@dataclass
class DeclaredContent:
    """Declared content that has been read."""

    mechanisms: dict[str, list[str]] = field(default_factory=dict)
    iterations: dict[str, int] = field(default_factory=dict)
    acls: set[Acl] = field(default_factory=set)
    quotas: dict[Entity, dict[str, float]] = field(default_factory=dict)
    users: set[str] = field(default_factory=set)


def user_principal(user: str) -> str:
    """Return the principal of a user in Kafka's ACLs."""
    return f"User:{user}"


def read_users(reader: Reader, users: Any, into: DeclaredContent) -> None:
    """Read users with their roles and quotas."""
    for where, name, value in reader.named(USERS, users):
        given = {} if value is None else reader.mapping(where, value, USER_KEYS, hints=ELSEWHERE)
        mechanisms = _mechanisms(reader, where, given)
        into.users.add(name)
        allowed = LOGIN_NAME if mechanisms else "a name without '*', up to 512 characters"
        if name == ANONYMOUS or not (LOGIN if mechanisms else SUBJECT).fullmatch(name):
            reader.refuse(where, f"the name {name!r}", allowed)
        if mechanisms:
            into.mechanisms[name] = mechanisms
            low, high = ITERATIONS
            if "iterations" in given:
                path = f"{where}.iterations"
                count = reader.number(path, given["iterations"], low, high)
                into.iterations[name] = count or low
        elif "iterations" in given:
            reader.refuse(f"{where}.iterations", "a number", "nothing without mechanisms")
        for path, role in reader.listed(f"{where}.roles", given.get("roles")):
            into.acls |= read_role(reader, path, user_principal(name), role)
        if "quota" in given:
            entity = Entity(user=name)
            values = read_values(reader, f"{where}.quota", given["quota"], PER_CLIENT, ())
            note_quota(reader, f"{where}.quota", entity, values, into.quotas)


def _mechanisms(reader: Reader, where: str, given: Mapping[str, Any]) -> list[str]:
    """SCRAM mechanisms of a user; none for authentication by certificate."""
    if "mechanisms" not in given:
        return [MECHANISMS[0]]
    found = []
    for path, each in reader.listed(f"{where}.mechanisms", given["mechanisms"]):
        name = str(each).upper()
        if name in MECHANISMS:
            found.append(name)
        else:
            reader.refuse(path, format_value(each), list_allowed(name, MECHANISMS))
    return list(dict.fromkeys(found))
