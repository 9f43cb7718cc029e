# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Apply the desired content of each kind to a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._kafka import authentication
from .._problems.messages import shorten_list
from . import acls, quotas, removals, topic_changes, topic_model, topics, user_model, users
from .applied_state import Permission
from .content_client import AllContentConnection


@dataclass(frozen=True)
class Desired:
    """Desired content of one kind, with the applied state of earlier runs."""

    content: Any
    applied: Any
    permission: Permission
    # Listener at which passwords of users are checked.
    listener: authentication.Listener | None = None
    # Whether steps that the cluster refuses are reported instead of an error.
    reports_refused: bool = False


def with_applied_state(
    read: Callable[[Mapping[str, Any]], Any],
) -> Callable[[Mapping[str, Any]], Desired]:
    """Return a reader of a module's arguments: ``read``, with applied state and permission."""

    def read_all(params: Mapping[str, Any]) -> Desired:
        removal = params.get("removal") or {}
        permission = Permission(
            bool(removal.get("limited")),
            frozenset(removal.get("missing") or ()),
            frozenset(removal.get("confirmed") or ()),
        )
        return Desired(
            read(params),
            params.get("applied"),
            permission,
            reports_refused=params.get("refused_steps") == "report",
        )

    return read_all


def apply_users(store: AllContentConnection, desired: Desired, dry: bool) -> dict[str, Any]:
    """Apply SCRAM users; passwords are checked at ``desired.listener``."""
    store.listener = desired.listener
    specs, applied, kept = removals.with_user_removals(
        desired.content, desired.applied, desired.permission
    )
    outcome = users.converge(store, specs, dry)
    puts = [step for step in outcome.steps if isinstance(step, user_model.Put)]
    return {
        "steps": [str(step) for step in outcome.steps],
        "created": sorted({step.key.user for step in puts if step.reason.startswith("new")}),
        "unverified": dict(outcome.unverified),
        "foreign": list(outcome.foreign),
        "applied": applied,
        "notes": kept + undeclared_notes("credentials", outcome.foreign),
        "diff": users.difference(outcome.steps),
        "warnings": users.unverified_warnings(outcome.unverified),
    }


def undeclared_notes(what: str, found: Sequence[str]) -> list[str]:
    """Return one message on undeclared content of the cluster, or none."""
    return [f"undeclared {what}, not changed: {shorten_list(found)}"] if found else []


def read_users(spec: Mapping[str, Any]) -> Desired:
    """Return the desired users, with the listener for password checks."""
    encrypted = spec["verify_protocol"] == "SASL_SSL"
    listener = authentication.Listener(spec["verify_bootstrap"], encrypted, spec["client_config"])
    return replace(with_applied_state(users.parse_specs)(spec), listener=listener)


def apply_acls(store: AllContentConnection, desired: Desired, dry: bool) -> dict[str, Any]:
    """Create and delete ACLs as declared; return the steps and the applied state."""
    specs, applied, kept = removals.with_acl_removals(
        desired.content, desired.applied, desired.permission
    )
    steps, foreign = acls.converge(store, specs, dry)
    added = sum(isinstance(step, acls.Grant) for step in steps)
    return {
        "steps": [str(step) for step in steps],
        "added": added,
        "removed": len(steps) - added,
        "foreign": [str(acl) for acl in foreign],
        "applied": applied,
        "notes": kept + undeclared_notes("ACLs", [str(acl) for acl in foreign]),
        "diff": acls.difference(steps),
    }


def apply_quotas(store: AllContentConnection, desired: Desired, dry: bool) -> dict[str, Any]:
    """Set and remove quotas as declared; return the steps and the applied state."""
    specs, applied, kept = removals.with_quota_removals(
        desired.content, desired.applied, desired.permission
    )
    refused: list[str] | None = [] if desired.reports_refused else None
    steps = quotas.converge(store, specs, dry, refused)
    return {
        "steps": [str(step) for step in steps],
        "refused": refused or [],
        "applied": applied,
        "notes": kept,
        "diff": quotas.difference(steps),
    }


def apply_topics(store: AllContentConnection, desired: Desired, dry: bool) -> dict[str, Any]:
    """Apply topics; replica moves are only reported."""
    params = desired.content
    store.batch = params["batch"]
    wanted, applied, kept = removals.with_topic_removals(
        params["topics"], desired.applied, desired.permission, params["absent"]
    )
    found: dict[str, topic_model.Topic] | None = {} if params["unmanaged"] else None
    refused: list[str] | None = [] if desired.reports_refused else None
    steps = topic_changes.converge(
        store,
        wanted,
        dry,
        params["absent"],
        params["confirm_delete"],
        moves=params["moves"] == "report",
        found=found,
        refused=refused,
    )
    done = [step for step in steps if not isinstance(step, topic_model.Move)]
    return {
        "steps": [str(step) for step in done],
        "created": [step.topic for step in done if isinstance(step, topic_model.Create)],
        "deleted": [step.topic for step in done if isinstance(step, topic_model.Delete)],
        "reassign": [step.topic for step in steps if isinstance(step, topic_model.Move)],
        "refused": refused or [],
        "applied": {name: keys for name, keys in applied.items() if name not in params["absent"]},
        "notes": kept + undeclared_notes("keys of topics", unmanaged_keys(found or {}, wanted)),
        "diff": topic_changes.difference(done),
    }


def unmanaged_keys(
    found: Mapping[str, topic_model.Topic], wanted: Sequence[topic_model.Spec]
) -> list[str]:
    """Return the undeclared keys of declared topics, which were set by hand."""
    return [
        f"{each.name}: {key}={value}"
        for each in wanted
        if each.name in found
        for key, value in topics.unmanaged_config(found[each.name], each).items()
    ]


def read_topics(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the module's arguments, with topics as Spec objects."""
    return {**spec, "topics": topics.parse_specs(spec["topics"])}
