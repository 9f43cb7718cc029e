# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of a site's declared content to options of the modules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._common.suggestions import did_you_mean
from ...module_utils._content.acls import Acl, acl_fields
from .declaration_reader import Reader, format_value
from .declared_acls import ACLS, check_contradictions, read_acl, read_acls
from .declared_quotas import PER_ADDRESS, PER_CLIENT, read_entity, read_quotas
from .declared_topics import TOPICS, read_service_topics, read_topics
from .declared_users import SUBJECT, USERS, DeclaredContent, read_users, user_principal
from .roles import read_role

ABSENT = "kafka_content_absent"
CONFIRM = "kafka_content_confirm_delete"

KINDS = ("topics", "users", "acls", "quotas")


@dataclass
class Absent:
    """Topics, users, ACLs and quotas that must not exist."""

    topics: list[str] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    acls: set[Acl] = field(default_factory=set)
    quotas: list[dict[str, Any]] = field(default_factory=list)


def read_absent(
    reader: Reader, absent: Any, declared: DeclaredContent, topics: Iterable[str] = ()
) -> Absent:
    """Read the content that is declared absent; none of it may also be declared."""
    found = Absent()
    if absent is None:
        return found
    given = reader.mapping(ABSENT, absent, KINDS)
    found.topics = _absent_names(reader, "topics", given, set(topics), f"{TOPICS}.")
    for where, name in reader.listed(f"{ABSENT}.topics", given.get("topics")):
        if isinstance(name, str) and name.startswith("__"):
            reader.refuse(where, repr(name), "topics that are not Kafka's own __*")
    found.users = _absent_names(reader, "users", given, declared.users, f"{USERS}.")
    for where, item in reader.listed(f"{ABSENT}.acls", given.get("acls")):
        found.acls |= _absent_acls(reader, where, item, declared)
    for where, item in reader.listed(f"{ABSENT}.quotas", given.get("quotas")):
        quota = _absent_quota(reader, where, item, declared)
        if quota:
            found.quotas.append(quota)
    for acl in sorted(declared.acls):
        if acl.principal in {user_principal(name) for name in found.users}:
            found_acl = f"{acl.principal}, for which {ACLS} has: {acl}"
            reader.refuse(f"{ABSENT}.users", found_acl, "users without declared ACLs")
            break
    return found


def _absent_names(
    reader: Reader, kind: str, given: Mapping[str, Any], declared: set[str], path: str
) -> list[str]:
    """Read names that are declared absent."""
    names = []
    for where, each in reader.listed(f"{ABSENT}.{kind}", given.get(kind)):
        name = reader.text(where, each, SUBJECT, "a single name, without '*'")
        if name is None:
            continue
        if name in declared:
            reader.refuse(where, f"{name!r}", f"names that are not declared: {path}{name} is")
        names.append(name)
    return names


def _absent_acls(reader: Reader, where: str, item: Any, declared: DeclaredContent) -> set[Acl]:
    """Read ACLs that are declared absent: an entry of ACLs, or roles of a user."""
    if isinstance(item, Mapping) and "roles" in item:
        given = reader.mapping(where, item, ("user", "roles"), ("user", "roles"))
        acls: set[Acl] = set()
        for path, role in reader.listed(f"{where}.roles", given.get("roles")):
            acls |= read_role(reader, path, user_principal(str(given.get("user"))), role)
        # Declared roles of the same user may need some of them.
        return acls - declared.acls
    acls = read_acl(reader, where, item)
    for acl in sorted(acls & declared.acls):
        reader.refuse(where, str(acl), "ACLs that are not declared: this one is")
    return acls


def _absent_quota(
    reader: Reader, where: str, item: Any, declared: DeclaredContent
) -> dict[str, Any] | None:
    """Read a quota that is declared absent, or some of its keys."""
    if isinstance(item, Mapping) and (extra := sorted(set(item) & {*PER_CLIENT, *PER_ADDRESS})):
        reader.refuse(f"{where}.{extra[0]}", "a value", f"keys: [{', '.join(extra)}]")
        return None
    entity, known = read_entity(reader, where, item, ("keys",))
    if entity is None:
        return None
    keys = []
    for path, each in reader.listed(f"{where}.keys", item.get("keys")):
        key = reader.choice(path, each, known)
        if key:
            keys.append(known[key][0])
    values = declared.quotas.get(entity, {})
    both = sorted(values.keys() & (keys or values.keys()))
    if both:
        reader.refuse(
            where, f"{', '.join(both)} of {entity}", "quotas that are not declared: this is"
        )
    names = {key: name for key in ("user", "client", "ip") if (name := getattr(entity, key))}
    return {**names, "keys": sorted(keys)}


def _user_part(declared: DeclaredContent, absent: Absent) -> dict[str, Any]:
    users = {}
    for name, mechanisms in sorted(declared.mechanisms.items()):
        users[name] = {"mechanisms": mechanisms}
        if name in declared.iterations:
            users[name]["iterations"] = declared.iterations[name]  # type: ignore[assignment]
    return {"users": users, "absent": absent.users}


def _acl_part(declared: DeclaredContent, absent: Absent) -> dict[str, Any]:
    return {
        "acls": [acl_fields(acl) for acl in sorted(declared.acls)],
        "absent": [acl_fields(acl) for acl in sorted(absent.acls)],
        "absent_principals": [user_principal(name) for name in absent.users],
    }


def _quota_part(declared: DeclaredContent, absent: Absent) -> dict[str, Any]:
    quotas = []
    for entity, values in sorted(declared.quotas.items()):
        names = {key: name for key in ("user", "client", "ip") if (name := getattr(entity, key))}
        quotas.append({**names, "values": values})
    return {"quotas": quotas, "absent": absent.quotas, "absent_users": absent.users}


def content_specs(given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return options of the modules topics, users, acls and quotas, by name of the module.

    ``given`` has the optional keys topics, service_topics, defaults, name_pattern, users, acls,
    quotas, absent and confirm_delete. Raises DeclarationError with all faults.
    """
    reader = Reader()
    keys = (*KINDS, "service_topics", "defaults", "name_pattern", "absent", "confirm_delete")
    reader.mapping("kafka_content", given, keys)
    topics = read_topics(
        reader, given.get("topics"), given.get("defaults"), str(given.get("name_pattern") or "")
    )
    topics |= read_service_topics(reader, given.get("service_topics"), topics)
    declared = DeclaredContent()
    read_users(reader, given.get("users"), declared)
    declared.acls |= read_acls(reader, ACLS, given.get("acls"))
    check_contradictions(reader, declared.acls)
    read_quotas(reader, given.get("quotas"), declared.quotas)
    absent = read_absent(reader, given.get("absent"), declared, topics)
    confirmed = _confirmed(reader, given.get("confirm_delete"), absent.topics)
    reader.finish()
    return {
        "topics": {"topics": topics, "absent": absent.topics, "confirm_delete": confirmed},
        "users": _user_part(declared, absent),
        "acls": _acl_part(declared, absent),
        "quotas": _quota_part(declared, absent),
    }


def _confirmed(reader: Reader, names: Any, absent: list[str]) -> list[str]:
    """Read topics whose deletion is confirmed; a name that is not declared absent is a fault."""
    found = []
    for where, name in reader.listed(CONFIRM, names):
        if name not in absent:
            near = did_you_mean(str(name), absent)
            hint = f"{near} (did you mean that?), " if near else ""
            reader.refuse(where, format_value(name), f"{hint}names under {ABSENT}.topics")
        else:
            found.append(str(name))
    return found
