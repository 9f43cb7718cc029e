# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Each kind of content as a module takes it, and how a cluster comes to hold what is declared.

``KINDS`` stand in the order in which they come about: rights before what they are for.
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
from .applied_record import RemovalError, confirmation
from .content_client import Everything
from .resource_changes import (
    bring_acls,
    bring_quotas,
    bring_topics,
    bring_users,
    read_topics,
    read_users,
    reading,
)
from .resource_options import (
    ACL,
    APPLIED,
    GONE,
    LOGIN,
    MOVES,
    NAMES,
    QUOTA,
    REMOVAL,
    TIMEOUT,
    UNMANAGED,
    Options,
)


@dataclass(frozen=True)
class Kind:
    """``read`` makes specs of a module's arguments, ``bring`` has a store come to them.

    Both raise SpecError. The result of ``bring`` is that of the module, in plain types; with
    ``dry`` nothing is changed.
    """

    arguments: Options
    read: Callable[[Mapping[str, Any]], Any]
    bring: Callable[[Everything, Any, bool], dict[str, Any]]


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
        reading(acls.specs_of),
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
        reading(quotas.specs_of),
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


def arguments(kind: str) -> Options:
    """Arguments of the module for one kind."""
    return {**client_options.ARGUMENTS, **KINDS[kind].arguments, **TIMEOUT}


def bring(
    servers: list[str],
    config: Mapping[str, Any],
    timeout: float,
    wanted: Mapping[str, Mapping[str, Any]],
    dry: bool,
) -> dict[str, dict[str, Any]]:
    """Results by kind of content, of what ``wanted`` holds: arguments by kind.

    What can be known to fail, of any kind, is told before anything changes: raises one SpecError
    with all of it, ClusterError when the cluster does not answer.
    """
    specs = _each(wanted, lambda kind: KINDS[kind].read(wanted[kind]))
    store = Everything(servers, config, timeout)
    with store:

        def come(kind: str, dry: bool) -> dict[str, Any]:
            store.deadline = Deadline(timeout)
            return KINDS[kind].bring(store, specs[kind], dry)

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
    messages: list[str] = []
    unconfirmed: set[str] = set()
    for kind in (kind for kind in KINDS if kind in wanted):
        try:
            found[kind] = do(kind)
        except SpecError as error:
            messages += error.messages
            unconfirmed |= error.kinds if isinstance(error, RemovalError) else set()
    if unconfirmed:
        messages.append(confirmation(unconfirmed))
    if messages:
        raise SpecError(messages)
    return found


def run(module: Any, wanted: Mapping[str, Mapping[str, Any]], what: str) -> dict[str, Any]:
    """Do what a module is asked to: results by kind, its warnings told; ends it when it fails.

    Where nothing is wanted nobody is asked.
    """
    if not wanted:
        return {}
    if client.MISSING:
        module.fail_json(
            msg=f"{what}: the host lacks the library kafka-python: {client.MISSING}",
            unanswered=True,
        )
    spec = client_options.spec_of(module)
    config = spec["client_config"]
    asked = {kind: {**given, "client_config": config} for kind, given in wanted.items()}
    servers = spec["bootstrap_servers"]
    try:
        found = bring(servers, config, spec["timeout"], asked, module.check_mode)
    except SpecError as error:
        module.fail_json(msg="; ".join(error.messages), errors=error.messages)
    except ClusterError as error:
        module.fail_json(msg=f"{what}: {error}", errors=[str(error)], unanswered=True)
    for result in found.values():
        for sentence in result.pop("warnings", []):
            module.warn(sentence)
        result["changed"] = bool(result["steps"])
    return found
