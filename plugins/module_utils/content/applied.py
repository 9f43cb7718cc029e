# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What earlier runs applied to a cluster, and what of it is no longer declared; no I/O.

A record holds, by kind of content, identities without values: ``topics`` lists of keys by topic,
``users`` lists of mechanisms by user, ``acls`` a list of fields, ``quotas`` a list of an entity
with its ``keys``. What it does not name was not applied by us and is never removed.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..sentences import some
from ..unmet import UnmetError

# A run that would remove a larger share of what was applied of a kind asks for a confirmation.
LARGEST_SHARE = 0.5
# By kind, the variables of an inventory that declare it.
VARIABLES = {
    "users": ("kafka_content_users", "pipeline_pipelines"),
    "acls": ("kafka_content_users", "kafka_content_acls", "pipeline_pipelines"),
    "quotas": ("kafka_content_users", "kafka_content_quotas"),
    "topics": ("kafka_content_topics",),
    "pipelines": ("pipeline_pipelines",),
}


class RemovalError(UnmetError):
    """Removals that this run may not do."""


@dataclass(frozen=True)
class Permission:
    """Whether a run may remove what is no longer declared.

    ``limited``: it has ``--limit``, so it may know a part of the declarations only. ``missing``
    are variables that were defined when the record was written and are not any more,
    ``confirmed`` the kinds of which more than half may go.
    """

    limited: bool = False
    missing: frozenset[str] = frozenset()
    confirmed: frozenset[str] = frozenset()


def confirmation(kind: str) -> str:
    """What confirms a removal: a value for make, with an option of ansible-playbook."""
    variable = (
        "pipeline_confirm_removal: true"
        if kind == "pipelines"
        else f"kafka_content_confirm_removal: [{kind}]"
    )
    return f"ARGS=\"-e '{{{variable}}}'\""


def removable(
    kind: str,
    applied: Collection[Hashable],
    undeclared: Iterable[Hashable],
    permission: Permission,
) -> tuple[frozenset[Any], list[str]]:
    """Those of ``undeclared`` that this run removes, and sentences on those it keeps.

    Raises RemovalError where a variable is undefined, which an empty one is not, or where more
    than half of ``applied`` would go unconfirmed: both look like a lost file of the inventory.
    """
    gone = frozenset(undeclared)
    if not gone:
        return gone, []
    names = some(sorted(map(str, gone)))
    if permission.limited:
        return frozenset(), [f"{kind}: no longer declared, kept in a run with --limit: {names}"]
    missing = [name for name in VARIABLES[kind] if name in permission.missing]
    if missing:
        raise RemovalError(
            [
                f"{kind}: no longer declared: {names}; but the inventory does not define "
                f"{' and '.join(missing)} any more; define it, empty to declare nothing"
            ]
        )
    if len(gone) > LARGEST_SHARE * len(applied) and kind not in permission.confirmed:
        raise RemovalError(
            [
                f"{kind}: {len(gone)} of {len(applied)} applied before are no longer "
                f"declared: {names}; declare them again, or confirm with "
                f"{confirmation(kind)}"
            ]
        )
    return gone, []


def newest(records: Iterable[Mapping[str, Any] | None]) -> dict[str, Any]:
    """The record that was written last, of those that the machines of a cluster keep.

    One without a number or of another shape counts as none.
    """
    found = [
        dict(record)
        for record in records
        if isinstance(record, Mapping) and isinstance(record.get("number"), int)
    ]
    return max(found, key=lambda record: record["number"], default={})


def defined_of(names: Iterable[str]) -> list[str]:
    """Those of the variables of a host that declare content."""
    known = {name for names_of_kind in VARIABLES.values() for name in names_of_kind}
    return sorted(known & set(names))


def missing_of(last: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """Variables that were defined when the last record was written and are not any more."""
    return sorted(set(last.get("defined") or ()) - set(names))


def following(
    last: Mapping[str, Any], content: Mapping[str, Any], names: Iterable[str]
) -> dict[str, Any]:
    """The record to keep after a run: the last one where it says the same.

    ``content`` has the kinds that the run looked at; the others stay as they were. ``names`` are
    the variables that the inventory defines.
    """
    after = {
        "content": {**(last.get("content") or {}), **content},
        "defined": defined_of(names),
    }
    if all(last.get(key) == value for key, value in after.items()):
        return dict(last)
    return {"number": int(last.get("number", 0)) + 1, **after}
