# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of content: their module arguments, and how they are applied to a cluster.

``KINDS`` is in the order of application: users and ACLs before topics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .._common.deadlines import Deadline
from .._common.errors import SpecError
from .._kafka import client, client_options
from .._kafka.endpoints import ClusterError
from . import acls, quotas, user_model, users
from .applied_state import RemovalError, confirmation
from .content_client import AllContentConnection
from .resource_changes import (
    apply_acls,
    apply_quotas,
    apply_topics,
    apply_users,
    read_topics,
    read_users,
    with_applied_state,
)
from .resource_options import (
    ABSENT_QUOTA,
    ACL,
    APPLIED,
    LOGIN,
    MOVES,
    NAMES,
    QUOTA,
    REFUSED_STEPS,
    REMOVAL,
    TIMEOUT,
    UNMANAGED,
    Options,
)
from .topic_model import TopicError


@dataclass(frozen=True)
class Kind:
    """``read`` converts a module's arguments to specs, ``apply`` applies them to a store.

    Both raise SpecError. ``apply`` returns the module's result in plain types; with ``dry``
    nothing is changed.
    """

    arguments: Options
    read: Callable[[Mapping[str, Any]], Any]
    apply: Callable[[AllContentConnection, Any, bool], dict[str, Any]]


KINDS = {
    "users": Kind(
        {
            **LOGIN,
            "users": {"type": "dict", "default": {}},
            "credentials": {"type": "dict", "default": {}, "no_log": True},
            "absent": NAMES,
            "update_password": {
                "type": "str",
                "choices": list(users.UPDATES),
                "default": user_model.ON_CHANGE,
                "no_log": False,
            },
            **APPLIED,
            **REMOVAL,
        },
        read_users,
        apply_users,
    ),
    "acls": Kind(
        {
            "acls": {"type": "list", "elements": "dict", "default": [], "options": ACL},
            "absent": {"type": "list", "elements": "dict", "default": [], "options": ACL},
            "absent_principals": NAMES,
            **APPLIED,
            **REMOVAL,
        },
        with_applied_state(acls.parse_specs),
        apply_acls,
    ),
    "quotas": Kind(
        {
            "quotas": {"type": "list", "elements": "dict", "default": [], "options": QUOTA},
            "absent": {"type": "list", "elements": "dict", "default": [], "options": ABSENT_QUOTA},
            "absent_users": NAMES,
            **REFUSED_STEPS,
            **APPLIED,
            **REMOVAL,
        },
        with_applied_state(quotas.parse_specs),
        apply_quotas,
    ),
    "topics": Kind(
        {
            "topics": {"type": "dict", "default": {}},
            "absent": NAMES,
            "confirm_delete": NAMES,
            **MOVES,
            **REFUSED_STEPS,
            "batch": {"type": "int", "default": 50},
            **UNMANAGED,
            **APPLIED,
            **REMOVAL,
        },
        with_applied_state(read_topics),
        apply_topics,
    ),
}


def arguments(kind: str) -> Options:
    """Return the argument spec of the module for one kind."""
    return {**client_options.ARGUMENTS, **KINDS[kind].arguments, **TIMEOUT}


def apply(
    servers: list[str],
    config: Mapping[str, Any],
    timeout: float,
    wanted: Mapping[str, Mapping[str, Any]],
    dry: bool,
) -> dict[str, dict[str, Any]]:
    """Apply ``wanted`` (arguments by kind); return the results by kind.

    All kinds are validated before the first change. Raises one SpecError with all errors, and
    ClusterError if the cluster does not respond.
    """
    specs = _run_each(wanted, lambda kind: KINDS[kind].read(wanted[kind]))
    store = AllContentConnection(servers, config, timeout)
    with store:

        def apply_kind(kind: str, dry: bool) -> dict[str, Any]:
            store.deadline = Deadline(timeout)
            return KINDS[kind].apply(store, specs[kind], dry)

        # A single kind validates all its steps before it applies the first.
        validate_first = dry or len(wanted) > 1
        found = _run_each(wanted, lambda kind: apply_kind(kind, validate_first))
        # The first failure ends the loop: later kinds may depend on earlier ones.
        for kind in found if validate_first and not dry else ():
            if found[kind]["steps"]:
                found[kind] = apply_kind(kind, False)
    return found


def _run_each(wanted: Mapping[str, Any], do: Callable[[str], Any]) -> dict[str, Any]:
    """Return the results of ``do`` for the wanted kinds, in order; raises one error for all."""
    found: dict[str, Any] = {}
    messages: list[str] = []
    unconfirmed: set[str] = set()
    topics: set[str] = set()
    for kind in (kind for kind in KINDS if kind in wanted):
        try:
            found[kind] = do(kind)
        except SpecError as error:
            messages += error.messages
            unconfirmed |= error.kinds if isinstance(error, RemovalError) else set()
            topics |= error.unconfirmed if isinstance(error, TopicError) else set()
    if unconfirmed or topics:
        # What is confirmed already, too: the next run has only the new confirmation.
        unconfirmed |= _given(wanted, "removal", "confirmed")
        topics |= _given(wanted, "confirm_delete")
        messages.append(confirmation(unconfirmed, topics))
    if messages:
        raise SpecError(messages)
    return found


def _given(wanted: Mapping[str, Any], *path: str) -> set[str]:
    """Return the names in a nested argument of all kinds."""
    found: set[str] = set()
    for each in wanted.values():
        for name in path:
            each = (each or {}).get(name)
        found |= set(each or ())
    return found


def run(module: Any, wanted: Mapping[str, Mapping[str, Any]], what: str) -> dict[str, Any]:
    """Run a module: return results by kind, emit its warnings, end it on failure.

    With an empty ``wanted`` no request is sent.
    """
    if not wanted:
        return {}
    if client.MISSING:
        module.fail_json(
            msg=f"{what}: the library kafka-python is missing on the host: {client.MISSING}",
            unanswered=True,
        )
    spec = client_options.full_argument_spec(module)
    config = spec["client_config"]
    requested = {kind: {**given, "client_config": config} for kind, given in wanted.items()}
    if not module.check_mode:
        # No kind is applied if a step of another one is refused.
        requested = {kind: {**given, "refused_steps": "fail"} for kind, given in requested.items()}
    servers = spec["bootstrap_servers"]
    try:
        found = apply(servers, config, spec["timeout"], requested, module.check_mode)
    except SpecError as error:
        module.fail_json(msg="; ".join(error.messages), errors=error.messages)
    except ClusterError as error:
        module.fail_json(msg=f"{what}: {error}", errors=[str(error)], unanswered=True)
    for result in found.values():
        for message in result.pop("warnings", []):
            module.warn(message)
        result["changed"] = bool(result["steps"])
    return found
