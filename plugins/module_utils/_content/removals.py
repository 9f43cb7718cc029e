# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What was applied and is no longer declared, kind by kind: what a run wants and keeps; no I/O.

Each function takes the desired content of a kind, the record of what was applied and the
permission to remove. It gives the desired content with the removals in it, the record to keep when
the run has succeeded, and messages on what is kept. Raises RemovalError.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._kafka.scram import Key
from . import acls, quotas, topic_model, user_model
from .applied_record import Permission, removable


@dataclass(frozen=True, order=True)
class Part:
    """A part of something that was applied: a key of a topic or of a quota, one way to log in."""

    owner: Any
    name: str

    def __str__(self) -> str:
        """Short, for people."""
        return f"{self.owner}: {self.name}"


def parts_of(record: Mapping[Any, Sequence[str]]) -> set[Part]:
    """The parts that a record names."""
    return {Part(owner, str(name)) for owner, names in record.items() for name in names or ()}


def record_of(parts: set[Part]) -> dict[Any, list[str]]:
    """The names of parts by their owner."""
    owners = sorted({part.owner for part in parts})
    return {owner: sorted(p.name for p in parts if p.owner == owner) for owner in owners}


def of_topics(
    desired: Sequence[topic_model.Spec], record: Any, permission: Permission
) -> tuple[list[topic_model.Spec], dict[str, list[str]], list[str]]:
    """Keys of declared topics return to the default; topics themselves are never removed."""
    applied = parts_of(record or {})
    declared = {Part(each.name, key) for each in desired for key in each.config}
    names = {each.name for each in desired}
    ours = {part for part in applied if part.owner in names}
    gone, kept = removable("topics", ours, ours - declared, permission)
    reset: dict[str, set[str]] = {}
    for part in gone:
        reset.setdefault(part.owner, set()).add(part.name)
    wanted = [
        replace(each, defaults=each.defaults | reset.get(each.name, set())) for each in desired
    ]
    undeclared = sorted({part.owner for part in applied - ours})
    kept += [
        f"topic {name}: no longer declared, kept with its records; to delete it, name it under "
        "kafka_content_absent.topics and kafka_content_confirm_delete"
        for name in undeclared
    ]
    return wanted, record_of((applied | declared) - gone), kept


def of_users(
    desired: user_model.Specs, record: Any, permission: Permission
) -> tuple[user_model.Specs, dict[str, list[str]], list[str]]:
    """Users lose their credentials; a declared one loses a mechanism it no longer has."""
    applied = parts_of(record or {})
    declared = {Part(each.name, name) for each in desired.users for name in each.mechanisms}
    gone, kept = removable("users", applied, applied - declared, permission)
    withdrawn = tuple(sorted(Key(part.owner, part.name) for part in gone))
    left = {part for part in (applied | declared) - gone if part.owner not in desired.absent}
    return replace(desired, withdrawn=withdrawn), record_of(left), kept


def of_acls(
    desired: acls.Specs, record: Any, permission: Permission
) -> tuple[acls.Specs, list[dict[str, str]], list[str]]:
    """ACLs are removed, also those of a role that a declared user no longer has."""
    applied = {acls.acl_of(fields) for fields in record or ()}
    gone, kept = removable("acls", applied, applied - desired.acls, permission)
    left = {
        acl
        for acl in (applied | desired.acls) - gone - desired.absent
        if acl.principal not in desired.absent_principals
    }
    wanted = replace(desired, absent=desired.absent | gone)
    return wanted, [acls.fields_of(acl) for acl in sorted(left)], kept


def of_quotas(
    desired: quotas.Specs, record: Any, permission: Permission
) -> tuple[quotas.Specs, list[dict[str, Any]], list[str]]:
    """Keys of quotas are removed; one without keys is gone."""
    applied = {
        Part(quotas.Entity(**{name: each.get(name, "") for name in ("user", "client", "ip")}), key)
        for each in record or ()
        for key in each["keys"]
    }
    declared = {Part(entity, key) for entity, values in desired.quotas.items() for key in values}
    gone, kept = removable("quotas", applied, applied - declared, permission)
    absent = dict(desired.absent)
    for entity, keys in record_of(set(gone)).items():
        # No keys are all keys, which an entity under absent may mean.
        if entity not in absent or absent[entity]:
            absent[entity] = frozenset(keys) | absent.get(entity, frozenset())
    left = record_of({*declared, *(applied - gone)})
    told = [
        {**{name: getattr(entity, name) for name in ("user", "client", "ip")}, "keys": keys}
        for entity, keys in left.items()
        if entity not in desired.absent and entity.user not in desired.absent_users
    ]
    return replace(desired, absent=absent), told, kept
