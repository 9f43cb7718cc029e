# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The content that earlier runs applied, and the removals of undeclared content; no I/O.

An applied state holds identities without values, by kind of content: ``topics`` lists of keys by
topic, ``users`` lists of mechanisms by user, ``acls`` a list of fields, ``quotas`` a list of
entities with their ``keys``. Content that is not in the applied state is never removed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._common.errors import SpecError
from .._problems.messages import shorten_list

# Share of the applied content of one kind; a removal of more needs a confirmation.
LARGEST_SHARE = 0.5
# Inventory variables that declare content, by kind.
VARIABLES = {
    "users": ("kafka_content_users", "pipeline_pipelines"),
    "acls": ("kafka_content_users", "kafka_content_acls", "pipeline_pipelines"),
    "quotas": ("kafka_content_users", "kafka_content_quotas"),
    "topics": ("kafka_content_topics",),
    "pipelines": ("pipeline_pipelines",),
}
# Names that YAML reads as text without quotes.
PLAIN = re.compile(r"(?!(true|false|yes|no|on|off|null|y|n)\Z)[a-z][\w.-]*", re.IGNORECASE)


class RemovalError(SpecError):
    """Removals that this run refuses; ``kinds`` are the kinds that need a confirmation."""

    def __init__(self, messages: Sequence[str], kinds: Iterable[str] = ()) -> None:
        """Store the kinds, so that one confirmation can cover all of them."""
        super().__init__(messages)
        self.kinds = frozenset(kinds)


@dataclass(frozen=True)
class Permission:
    """Whether a run may remove content that is no longer declared.

    ``limited``: the run has ``--limit``, so its declarations may be incomplete. ``missing`` are
    variables that were defined when the applied state was stored and are now undefined.
    ``confirmed`` are the kinds of which more than half may be removed.
    """

    limited: bool = False
    missing: frozenset[str] = frozenset()
    confirmed: frozenset[str] = frozenset()


def confirmation(kinds: Collection[str], topics: Iterable[str] = ()) -> str:
    """Return the hint that confirms removals of ``kinds`` and deletions of ``topics``: ARGS."""
    content = [kind for kind in VARIABLES if kind in kinds and kind != "pipelines"]
    values = [f"kafka_content_confirm_removal: [{', '.join(content)}]"] if content else []
    deleted = ", ".join(map(_in_arguments, sorted(set(topics))))
    values += [f"kafka_content_confirm_delete: [{deleted}]"] if deleted else []
    values += ["pipeline_confirm_removal: true"] if "pipelines" in kinds else []
    return f"to confirm: ARGS=\"-e '{{{', '.join(values)}}}'\""


def _in_arguments(name: str) -> str:
    """Return a topic's name as YAML within ARGS="…", quoted if it could be no text: 010, true."""
    return name if PLAIN.fullmatch(name) else rf"\"{name}\""


def select_removals(
    kind: str,
    applied: Collection[Hashable],
    undeclared: Iterable[Hashable],
    permission: Permission,
) -> tuple[frozenset[Any], list[str]]:
    """Return the part of ``undeclared`` that this run removes, and messages on the rest.

    Raises RemovalError if a variable became undefined (an empty one is defined), or if more than
    half of ``applied`` would be removed unconfirmed. Both look like a lost inventory file.
    """
    obsolete = frozenset(undeclared)
    if not obsolete:
        return obsolete, []
    names = shorten_list(sorted(map(str, obsolete)))
    if permission.limited:
        return frozenset(), [f"{kind}: no longer declared, kept in a run with --limit: {names}"]
    missing = [name for name in VARIABLES[kind] if name in permission.missing]
    unconfirmed = len(obsolete) > LARGEST_SHARE * len(applied) and kind not in permission.confirmed
    # The hint repeats kinds that are already confirmed; without them the next run would fail.
    kinds = {kind, *permission.confirmed} if unconfirmed else ()
    if missing:
        raise RemovalError(
            [
                f"{kind}: no longer declared: {names}; but the inventory does not define "
                f"{' and '.join(missing)} any more; define it (empty to declare nothing)"
                f"{', and confirm the removal' if unconfirmed else ''}"
            ],
            kinds,
        )
    if unconfirmed:
        raise RemovalError(
            [
                f"{kind}: {len(obsolete)} of {len(applied)} applied before are no longer "
                f"declared: {names}; declare them again, or confirm the removal"
            ],
            kinds,
        )
    return obsolete, []


def newest(states: Iterable[Mapping[str, Any] | None]) -> dict[str, Any]:
    """Return the applied state with the highest number, of those on the hosts of a cluster.

    States without a number or with another structure are ignored.
    """
    found = [
        dict(state)
        for state in states
        if isinstance(state, Mapping) and isinstance(state.get("number"), int)
    ]
    return max(found, key=lambda state: state["number"], default={})


def content_variables(names: Iterable[str]) -> list[str]:
    """Return the variables in ``names`` that declare content, sorted."""
    known = {name for names_of_kind in VARIABLES.values() for name in names_of_kind}
    return sorted(known & set(names))


def undefined_variables(last: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """Return the variables that were defined in the last state and are not in ``names``."""
    return sorted(set(last.get("defined") or ()) - set(names))


def state_after(
    last: Mapping[str, Any], content: Mapping[str, Any], names: Iterable[str]
) -> dict[str, Any]:
    """Return the applied state to store after a run: the last one if nothing changed.

    ``content`` holds the kinds that the run read; other kinds stay unchanged. ``names`` are
    the variables that the inventory defines.
    """
    after = {
        "content": {**(last.get("content") or {}), **content},
        "defined": content_variables(names),
    }
    if all(last.get(key) == value for key, value in after.items()):
        return dict(last)
    return {"number": int(last.get("number", 0)) + 1, **after}
