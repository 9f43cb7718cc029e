# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Each kind of content as a module takes it, and how a cluster comes to hold what is declared.

``KINDS`` stand in the order in which they come about: rights before what they are for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import access, connecting, login, topic
from ..endpoint import ClusterError
from ..sentences import some
from ..unmet import UnmetError
from ..waiting import Deadline
from . import acls, quotas, removals, users
from .applied import Permission, RemovalError, confirmation
from .content_connection import Everything

# A module's options by name, as Ansible takes them.
Options = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Kind:
    """``read`` makes wishes of a module's arguments, ``bring`` has a store come to them.

    Both raise UnmetError. The result of ``bring`` is that of the module, in plain types; with
    ``dry`` nothing is changed.
    """

    arguments: Options
    read: Callable[[Mapping[str, Any]], Any]
    bring: Callable[[Everything, Any, bool], dict[str, Any]]


@dataclass(frozen=True)
class Desired:
    """Content of one kind as it should be, with what earlier runs applied of it."""

    content: Any
    record: Any
    permission: Permission
    # Where a password is tried, for users.
    listener: login.Listener | None = None


def reading(read: Callable[[Mapping[str, Any]], Any]) -> Callable[[Mapping[str, Any]], Desired]:
    """A reader of a module's arguments that also takes what was applied."""

    def with_record(params: Mapping[str, Any]) -> Desired:
        removal = params.get("removal") or {}
        permission = Permission(
            bool(removal.get("limited")),
            frozenset(removal.get("missing") or ()),
            frozenset(removal.get("confirmed") or ()),
        )
        return Desired(read(params), params.get("applied"), permission)

    return with_record


def bring_users(store: Everything, desired: Desired, dry: bool) -> dict[str, Any]:
    """Users that log in; their passwords are tried at the listener that comes with them."""
    store.listener = desired.listener
    wished, record, kept = removals.of_users(desired.content, desired.record, desired.permission)
    outcome = users.converge(store, wished, dry)
    puts = [step for step in outcome.steps if isinstance(step, users.Put)]
    return {
        "steps": [str(step) for step in outcome.steps],
        "created": sorted({step.key.user for step in puts if step.reason.startswith("new")}),
        "unverified": dict(outcome.unverified),
        "foreign": list(outcome.foreign),
        "applied": record,
        "notes": kept + hand_made("credentials", outcome.foreign),
        "diff": users.difference(outcome.steps),
        "warnings": users.doubts(outcome.unverified),
    }


def hand_made(what: str, found: Sequence[str]) -> list[str]:
    """One sentence on what is in the cluster and in no declaration."""
    return [f"{what} that no declaration has, left as they are: {some(found)}"] if found else []


def read_users(wish: Mapping[str, Any]) -> Desired:
    """Users, and where a password is tried."""
    encrypted = wish["verify_protocol"] == "SASL_SSL"
    listener = login.Listener(wish["verify_bootstrap"], encrypted, wish["client_config"])
    return replace(reading(users.wishes_of)(wish), listener=listener)


def bring_acls(store: Everything, desired: Desired, dry: bool) -> dict[str, Any]:
    """ACLs."""
    wishes, record, kept = removals.of_acls(desired.content, desired.record, desired.permission)
    steps, foreign = acls.converge(store, wishes, dry)
    added = sum(isinstance(step, acls.Grant) for step in steps)
    return {
        "steps": [str(step) for step in steps],
        "added": added,
        "removed": len(steps) - added,
        "foreign": [str(acl) for acl in foreign],
        "applied": record,
        "notes": kept + hand_made("ACLs", [str(acl) for acl in foreign]),
        "diff": acls.difference(steps),
    }


def bring_quotas(store: Everything, desired: Desired, dry: bool) -> dict[str, Any]:
    """Quotas."""
    wishes, record, kept = removals.of_quotas(desired.content, desired.record, desired.permission)
    steps = quotas.converge(store, wishes, dry)
    return {
        "steps": [str(step) for step in steps],
        "applied": record,
        "notes": kept,
        "diff": quotas.difference(steps),
    }


def bring_topics(store: Everything, desired: Desired, dry: bool) -> dict[str, Any]:
    """Topics; replicas that are to be elsewhere are only reported."""
    params = desired.content
    store.batch = params["batch"]
    wanted, record, kept = removals.of_topics(params["topics"], desired.record, desired.permission)
    found: dict[str, topic.Topic] | None = {} if params["unmanaged"] else None
    steps = topic.converge(
        store,
        wanted,
        dry,
        params["absent"],
        params["confirm_delete"],
        moves=params["moves"] == "report",
        found=found,
    )
    done = [step for step in steps if not isinstance(step, topic.Move)]
    return {
        "steps": [str(step) for step in done],
        "created": [step.topic for step in done if isinstance(step, topic.Create)],
        "deleted": [step.topic for step in done if isinstance(step, topic.Delete)],
        "reassign": [step.topic for step in steps if isinstance(step, topic.Move)],
        "applied": {name: keys for name, keys in record.items() if name not in params["absent"]},
        "notes": kept + hand_made("keys of topics", unmanaged_keys(found or {}, wanted)),
        "diff": topic.difference(done),
    }


def unmanaged_keys(found: Mapping[str, topic.Topic], wanted: Sequence[topic.Wish]) -> list[str]:
    """Keys that somebody set on declared topics by hand."""
    return [
        f"{each.name}: {key}={value}"
        for each in wanted
        if each.name in found
        for key, value in topic.unmanaged(found[each.name], each).items()
    ]


def read_topics(wish: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with wishes for topics."""
    return {**wish, "topics": topic.wishes_of(wish["topics"])}


ACL: Options = {
    "principal": {"type": "str", "required": True},
    "resource_type": {"type": "str", "required": True, "choices": list(acls.OPERATIONS)},
    "resource": {"type": "str", "required": True},
    "operation": {"type": "str", "required": True},
    "pattern": {"type": "str", "choices": ["literal", "prefixed"], "default": "literal"},
    "permission": {"type": "str", "choices": ["allow", "deny"], "default": "allow"},
    "host": {"type": "str", "default": "*"},
}
ENTITY: Options = {name: {"type": "str"} for name in ("user", "client", "ip")}
QUOTA: Options = {**ENTITY, "values": {"type": "dict", "required": True}}
# The names of Kafka's settings are no keys of anybody's.
GONE: Options = {
    **ENTITY,
    "keys": {"type": "list", "elements": "str", "default": [], "no_log": False},
}
NAMES: dict[str, Any] = {"type": "list", "elements": "str", "default": []}
# How a password is tried: these stand beside the users in a module of all kinds, too.
LOGIN: Options = {
    "passwords": {"type": "dict", "default": {}, "no_log": True},
    "verify_bootstrap": NAMES,
    "verify_protocol": {
        "type": "str",
        "choices": ["SASL_SSL", "SASL_PLAINTEXT"],
        "default": "SASL_SSL",
    },
}
# As do moves of replicas.
MOVES: Options = {
    "moves": {"type": "str", "choices": ["refuse", "report"], "default": "refuse"},
}
TIMEOUT: Options = {"timeout": {"type": "float", "default": 60}}
# What was applied before: its shape is that of the kind.
APPLIED: Options = {"applied": {"type": "raw"}}
REMOVAL: Options = {
    "removal": {
        "type": "dict",
        "default": {},
        "options": {
            "limited": {"type": "bool", "default": False},
            "missing": NAMES,
            "confirmed": NAMES,
        },
    }
}
UNMANAGED: Options = {"unmanaged": {"type": "bool", "default": True}}

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
                "default": users.ON_CHANGE,
                "no_log": False,
            },
            **APPLIED,
            **REMOVAL,
        },
        read_users,
        bring_users,
    ),
    "acls": Kind(
        {
            "acls": {"type": "list", "elements": "dict", "default": [], "options": ACL},
            "absent": {"type": "list", "elements": "dict", "default": [], "options": ACL},
            "absent_principals": NAMES,
            **APPLIED,
            **REMOVAL,
        },
        reading(acls.wishes_of),
        bring_acls,
    ),
    "quotas": Kind(
        {
            "quotas": {"type": "list", "elements": "dict", "default": [], "options": QUOTA},
            "absent": {"type": "list", "elements": "dict", "default": [], "options": GONE},
            "absent_users": NAMES,
            **APPLIED,
            **REMOVAL,
        },
        reading(quotas.wishes_of),
        bring_quotas,
    ),
    "topics": Kind(
        {
            "topics": {"type": "dict", "default": {}},
            "absent": NAMES,
            "confirm_delete": NAMES,
            **MOVES,
            "batch": {"type": "int", "default": 50},
            **UNMANAGED,
            **APPLIED,
            **REMOVAL,
        },
        reading(read_topics),
        bring_topics,
    ),
}


def bring(
    servers: list[str],
    config: Mapping[str, Any],
    timeout: float,
    wanted: Mapping[str, Mapping[str, Any]],
    dry: bool,
) -> dict[str, dict[str, Any]]:
    """Results by kind of content, of what ``wanted`` holds: arguments by kind.

    What can be known to fail, of any kind, is told before anything changes: raises one UnmetError
    with all of it, ClusterError when the cluster does not answer.
    """
    wishes = _each(wanted, lambda kind: KINDS[kind].read(wanted[kind]))
    store = Everything(servers, config, timeout)
    with store:

        def come(kind: str, dry: bool) -> dict[str, Any]:
            store.deadline = Deadline(timeout)
            return KINDS[kind].bring(store, wishes[kind], dry)

        # One kind alone judges its steps itself before it does the first.
        first = dry or len(wanted) > 1
        found = _each(wanted, lambda kind: come(kind, first))
        # One after the other, to the first that fails: what comes after it may rest on it.
        for kind in found if first and not dry else ():
            if found[kind]["steps"]:
                found[kind] = come(kind, False)
    return found


def _each(wanted: Mapping[str, Any], do: Callable[[str], Any]) -> dict[str, Any]:
    """What ``do`` gives for each kind that is wanted, in their order; one error for all."""
    found: dict[str, Any] = {}
    sentences: list[str] = []
    unconfirmed: set[str] = set()
    for kind in (kind for kind in KINDS if kind in wanted):
        try:
            found[kind] = do(kind)
        except UnmetError as error:
            sentences += error.sentences
            unconfirmed |= error.kinds if isinstance(error, RemovalError) else set()
    if unconfirmed:
        sentences.append(confirmation(unconfirmed))
    if sentences:
        raise UnmetError(sentences)
    return found


def run(module: Any, wanted: Mapping[str, Mapping[str, Any]], what: str) -> dict[str, Any]:
    """Do what a module is asked to: results by kind, its warnings told; ends it when it fails.

    Where nothing is wanted nobody is asked.
    """
    if not wanted:
        return {}
    if connecting.MISSING:
        module.fail_json(
            msg=f"{what}: the host lacks the library kafka-python: {connecting.MISSING}",
            unanswered=True,
        )
    wish = access.wish_of(module)
    config = wish["client_config"]
    asked = {kind: {**given, "client_config": config} for kind, given in wanted.items()}
    servers = wish["bootstrap_servers"]
    try:
        found = bring(servers, config, wish["timeout"], asked, module.check_mode)
    except UnmetError as error:
        module.fail_json(msg="; ".join(error.sentences), errors=error.sentences)
    except ClusterError as error:
        module.fail_json(msg=f"{what}: {error}", errors=[str(error)], unanswered=True)
    for result in found.values():
        for sentence in result.pop("warnings", []):
            module.warn(sentence)
        result["changed"] = bool(result["steps"])
    return found
