# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What earlier runs applied to a cluster, and what of it is no longer declared; no I/O.

A record holds, by kind of content, identities without values: ``topics`` lists of keys by topic,
``users`` lists of mechanisms by user, ``acls`` a list of fields, ``quotas`` a list of an entity
with its ``keys``. What it does not name was not applied by us and is never removed.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._common.errors import SpecError
from .._common.messages import some

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


class RemovalError(SpecError):
    """Removals that this run may not do; ``kinds``: all that the next run has to confirm."""

    def __init__(self, messages: Sequence[str], kinds: Iterable[str] = ()) -> None:
        """Keep the kinds for one confirmation of all of them."""
        super().__init__(messages)
        self.kinds = frozenset(kinds)


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


def confirmation(kinds: Collection[str]) -> str:
    """What confirms removals, all at once: a value for make, with an option of ansible-playbook."""
    content = [kind for kind in VARIABLES if kind in kinds and kind != "pipelines"]
    values = [f"kafka_content_confirm_removal: [{', '.join(content)}]"] if content else []
    values += ["pipeline_confirm_removal: true"] if "pipelines" in kinds else []
    return f"to confirm: ARGS=\"-e '{{{', '.join(values)}}}'\""


def removable(
    kind: str,
    applied: Collection[Hashable],
    undeclared: Iterable[Hashable],
    permission: Permission,
) -> tuple[frozenset[Any], list[str]]:
    """Those of ``undeclared`` that this run removes, and messages on those it keeps.

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
    unconfirmed = len(gone) > LARGEST_SHARE * len(applied) and kind not in permission.confirmed
    # A confirmation that leaves out what another one was given for would be refused again.
    kinds = {kind, *permission.confirmed} if unconfirmed else ()
    if missing:
        raise RemovalError(
            [
                f"{kind}: no longer declared: {names}; but the inventory does not define "
                f"{' and '.join(missing)} any more; define it, empty to declare nothing"
                f"{', and confirm the removal' if unconfirmed else ''}"
            ],
            kinds,
        )
    if unconfirmed:
        raise RemovalError(
            [
                f"{kind}: {len(gone)} of {len(applied)} applied before are no longer "
                f"declared: {names}; declare them again, or confirm the removal"
            ],
            kinds,
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
