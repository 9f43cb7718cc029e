# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Export of a cluster's content as declarations that would not change it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...module_utils._common.units import BYTES, MILLISECONDS, WITHOUT_LIMIT
from ...module_utils._content.acls import ALLOW, ANYWHERE, DENY, Acl, parse_acl
from ...module_utils._content.user_model import Spec
from ...module_utils._kafka.scram import MECHANISMS
from ...module_utils._replicas.throttles import KEYS as THROTTLED
from .declaration_reader import Reader
from .declared_acls import ACLS, RESOURCES, read_acl
from .declared_quotas import PER_ADDRESS, PER_CLIENT, QUOTAS, read_quotas
from .declared_topics import CLEANUP, MIN_ISR, TOPICS, read_topics
from .declared_users import USERS, DeclaredContent, read_users, user_principal
from .role_folding import fold_into_roles, format_resource

# Units in descending order; unusual ones are left out.
DURATIONS = {unit: MILLISECONDS[unit] for unit in ("d", "h", "m", "s")}
SIZES = {name: BYTES[name.lower()] for name in ("TB", "TiB", "GB", "GiB", "MB", "MiB", "kB", "KiB")}
USER = "User:"
# ASCII digits, and limited in length: int() rejects other digits and very long numbers.
_WHOLE = re.compile(r"-?[0-9]{1,19}")


def amount(number: int, units: Mapping[str, int], plain: str) -> Any:
    """A number in the largest unit that divides it."""
    if number == WITHOUT_LIMIT:
        return number
    for unit, size in units.items():
        if number and number % size == 0:
            return f"{number // size}{unit}"
    return f"{number}{plain}" if plain else number


def parse_scalar(text: str) -> Any:
    """The number or boolean in a text, if its text form is the same; otherwise the text."""
    if text in ("true", "false"):
        return text == "true"
    if _WHOLE.fullmatch(text) and str(int(text)) == text:
        return int(text)
    return text


def topic_declaration(found: Mapping[str, Any]) -> dict[str, Any]:
    """The declaration of one topic; without replication if it differs between partitions."""
    config = {
        str(key): str(value)
        for key, value in (found.get("config") or {}).items()
        if key not in THROTTLED["topic"]
    }
    declared: dict[str, Any] = {"partitions": found["partitions"]}
    if len(found["replicas"]) == 1:
        declared["replication"] = found["replicas"][0]
    for key, kafka_key, units, plain in (
        ("retention", "retention.ms", DURATIONS, "ms"),
        ("retention_size", "retention.bytes", SIZES, ""),
    ):
        text = config.get(kafka_key, "")
        if isinstance(parse_scalar(text), int) and int(text) >= WITHOUT_LIMIT:
            declared[key] = amount(int(config.pop(kafka_key)), units, plain)
    if config.get(CLEANUP) in ("delete", "compact"):
        declared["cleanup"] = config.pop(CLEANUP)
    if _WHOLE.fullmatch(config.get(MIN_ISR, "")):
        declared["min_insync"] = int(config.pop(MIN_ISR))
    if config:
        declared["config"] = {key: parse_scalar(config[key]) for key in sorted(config)}
    return declared


def acl_entries(acls: Iterable[Acl]) -> list[dict[str, Any]]:
    """Entries of single ACLs, each with all operations of one principal on one resource."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for acl in sorted(acls):
        place = (acl.resource_type, acl.resource, acl.pattern)
        groups[(acl.principal, *place, acl.permission, acl.host)].append(acl.operation)
    entries = []
    for (principal, kind, name, pattern, permission, host), operations in sorted(groups.items()):
        entry: dict[str, Any] = {"principal": principal}
        if kind == "cluster":
            entry["cluster"] = True
        else:
            entry[kind] = format_resource(name, pattern)
        entry["operations"] = operations
        if permission != ALLOW:
            entry["permission"] = permission
        if host != ANYWHERE:
            entry["host"] = host
        expected = {
            Acl(principal, kind, name, operation, pattern, permission, host)
            for operation in operations
        }
        if kind in RESOURCES and read_acl(Reader(), "", entry) != expected:
            # A name that contains a star, or characters that Kafka does not allow.
            entry |= {kind: name, "pattern": pattern}
        entries.append(entry)
    return entries


def quota_values(values: Mapping[str, float], keys: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a quota with keys of declarations; empty if one of Kafka's keys has none."""
    names = {kafka_key: key for key, (kafka_key, _, _) in keys.items()}
    if not values.keys() <= names.keys():
        return {}
    found: dict[str, Any] = {}
    for key in sorted(values):
        number = values[key]
        whole: Any = int(number) if number == int(number) else number
        if key.endswith("_byte_rate") and isinstance(whole, int):
            whole = amount(whole, SIZES, "")
        found[names[key]] = whole
    return found


def user_declaration(credentials: Mapping[str, int]) -> dict[str, Any] | None:
    """The declaration of a user's credentials; None if their iterations differ."""
    if len(set(credentials.values())) > 1:
        return None
    declared: dict[str, Any] = {}
    mechanisms = [each for each in MECHANISMS if each in credentials]
    if mechanisms != [MECHANISMS[0]]:
        declared["mechanisms"] = mechanisms
    iterations = next(iter(credentials.values()), Spec.iterations)
    if iterations != Spec.iterations:
        declared["iterations"] = iterations
    return declared


class Export:
    """Collected declarations, with notes on content that cannot be declared."""

    def __init__(self) -> None:
        """Start without declarations."""
        self.topics: dict[str, Any] = {}
        self.users: dict[str, dict[str, Any]] = {}
        self.acls: list[dict[str, Any]] = []
        self.quotas: list[dict[str, Any]] = []
        self.notes: list[str] = []

    def note(self, what: str, reader: Reader) -> bool:
        """Return whether an item can be declared; add notes if not."""
        self.notes += [f"{what} is not declared: {fault}" for fault in reader.faults]
        return not reader.faults

    def add_topics(self, topics: Mapping[str, Mapping[str, Any]]) -> None:
        """Add topics that are not Kafka's own."""
        for name in sorted(topics):
            declared, reader = topic_declaration(topics[name]), Reader()
            read_topics(reader, {name: declared})
            if self.note(f"topic {name}", reader):
                self.topics[name] = declared

    def add_users(self, users: Mapping[str, Mapping[str, int]]) -> None:
        """Add users that authenticate with SCRAM."""
        for name in sorted(users):
            declared, reader = user_declaration(users[name]), Reader()
            if declared is None:
                self.notes.append(f"user {name} is not declared: iterations differ by mechanism")
                continue
            read_users(reader, {name: declared}, DeclaredContent())
            if self.note(f"user {name}", reader):
                self.users[name] = declared

    def add_acls(self, acls: Iterable[Acl]) -> None:
        """Add ACLs, as roles if roles match them exactly."""
        all_of_them = set(acls)
        given: dict[str, list[Acl]] = defaultdict(list)
        for acl in sorted(all_of_them):
            if acl.permission == ALLOW and replace(acl, permission=DENY) in all_of_them:
                self.notes.append(f"an ACL is not declared, since another ACL denies it: {acl}")
            else:
                given[acl.principal].append(acl)
        rest: list[Acl] = []
        for principal in sorted(given):
            name = principal[len(USER) :] if principal.startswith(USER) else ""
            roles, left = fold_into_roles(principal, given[principal])
            declared = {**self.users.get(name, {"mechanisms": []}), "roles": roles}
            reader = Reader()
            read_users(reader, {name: declared}, DeclaredContent())
            if roles and name and user_principal(name) == principal and not reader.faults:
                self.users[name] = declared
                rest += left
            else:
                rest += given[principal]
        for entry in acl_entries(rest):
            reader = Reader()
            read_acl(reader, f"{ACLS}[]", entry)
            if self.note(f"an ACL of {entry['principal']}", reader):
                self.acls.append(entry)

    def add_quotas(self, quotas: Iterable[Mapping[str, Any]]) -> None:
        """Add quotas; the quota of a declared user is part of that user."""
        for found in quotas:
            names = {key: found[key] for key in ("user", "client", "ip") if found.get(key)}
            entity = ", ".join(f"{key} {name}" for key, name in names.items())
            keys = PER_ADDRESS if "ip" in names else PER_CLIENT
            declared = quota_values(found["values"], keys)
            entry, reader = {**names, **declared}, Reader()
            read_quotas(reader, [entry], {})
            if not self.note(f"the quota of {entity}", reader):
                continue
            if set(names) == {"user"} and names["user"] in self.users:
                self.users[names["user"]]["quota"] = declared
            else:
                self.quotas.append(entry)


def declarations(
    state: Mapping[str, Any], accounts: Iterable[str] = (), topics: Iterable[str] = ()
) -> dict[str, Any]:
    """Variables of the role kafka_content for a result of M(metal.kafka.cluster_content_info).

    ``notes`` list content that cannot be declared. Passwords are left out, and also the platform's
    service ``accounts`` and ``topics``, which only the platform may declare.
    """
    own, platform = set(accounts), set(topics)
    principals = {f"{USER}{name}" for name in own}
    users, acls = state.get("users") or {}, state.get("acls") or ()
    export = Export()
    found_topics = state.get("topics") or {}
    export.add_topics({name: found_topics[name] for name in found_topics if name not in platform})
    export.add_users({name: found for name, found in users.items() if name not in own})
    export.add_acls(parse_acl(each) for each in acls if each["principal"] not in principals)
    export.add_quotas(each for each in state.get("quotas") or () if each.get("user") not in own)
    return {
        # Each topic declares its full configuration; a default would be a change.
        "kafka_content_defaults": {},
        "kafka_content_name_pattern": "",
        TOPICS: export.topics,
        USERS: export.users,
        ACLS: export.acls,
        QUOTAS: export.quotas,
        "notes": export.notes,
    }
