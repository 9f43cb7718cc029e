# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""ACLs of znodes that Kafka and Spark create without restrictions.

Kafka restricts its own znodes to brokers, except the root and ``/consumers``; Spark restricts none.
A client with write access to a parent may replace a child whatever the child's own ACL is, for
example ``/controller_epoch`` below an open root.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .._common.deadlines import Deadline
from .zookeeper_client import LETTERS, NO_AUTH, Acl, ZooKeeperError

ALL = LETTERS
WORLD_READS = Acl("world", "anyone", "r")
OPEN = (Acl("world", "anyone", ALL),)
# Znodes that ZooKeeper and Kafka create without restrictions.
OF_BROKERS = ("/", "/zookeeper", "/zookeeper/quota", "/consumers")
# Znodes below Spark's own: leader election and cluster state. Masters create open znodes in them,
# but no other client can list, create or delete these.
OF_MASTERS = ("/leader_election", "/master_status")
# Seconds for which a znode below an opened parent is tried, and between two tries.
OPENED_S, AGAIN_S = 5.0, 0.05
OWNED, UNRESTRICTED = "own", "platform"


@dataclass(frozen=True)
class Node:
    """A znode and its ACLs; ``create``: create it if it is missing."""

    path: str
    acls: tuple[Acl, ...]
    create: bool = False


class Ensemble(Protocol):
    """Operations of a session with a server."""

    def acl(self, path: str) -> list[Acl] | None:
        """Return the ACLs of a znode; None when it does not exist."""

    def set_acl(self, path: str, wanted: Sequence[Acl]) -> None:
        """Replace all ACLs of a znode, whatever its version."""

    def create(self, path: str, wanted: Sequence[Acl]) -> None:
        """Create an empty persistent znode, unless it exists."""


def desired_nodes(
    brokers: Iterable[str], masters: Iterable[str], spark: str, trust: str
) -> list[dict[str, Any]]:
    """Return the desired znodes in plain types, parents first.

    ``brokers`` and ``masters`` are subjects of their certificates, ``spark`` is the znode with the
    state of Spark's masters. Masters may not write above it, so it is created for them. Brokers
    keep the right to change its ACL: later runs authenticate as a broker.
    ``trust``: OWNED, or UNRESTRICTED for open znodes, as Kafka and Spark create them.
    """
    broker_acls = [Acl("x509", each, ALL) for each in dict.fromkeys(brokers)]
    master_acls = [Acl("x509", each, ALL) for each in dict.fromkeys(masters)]
    of_brokers = (*broker_acls, WORLD_READS)
    of_spark = (
        *master_acls,
        *(Acl("x509", each.id, "ra" if master_acls else ALL) for each in broker_acls),
    )
    if trust == UNRESTRICTED:
        of_brokers = of_spark = OPEN
    create = bool(master_acls) and trust == OWNED
    names = spark.strip("/").split("/")
    above = ["/" + "/".join(names[:depth]) for depth in range(1, len(names))]
    nodes = [
        *(Node(path, of_brokers) for path in OF_BROKERS),
        *(Node(path, of_brokers, create=create) for path in above),
        *(Node(f"{spark}{part}", of_spark, create=create) for part in ("", *OF_MASTERS)),
    ]
    return [{**vars(node), "acls": [vars(each) for each in node.acls]} for node in nodes]


def read(plain: Iterable[Mapping[str, Any]]) -> list[Node]:
    """Return znodes from their plain types."""
    return [
        Node(
            path=each["path"],
            acls=tuple(Acl(a["scheme"], a["id"], a["rights"]) for a in each["acls"]),
            create=bool(each.get("create")),
        )
        for each in plain
    ]


def differences(ensemble: Ensemble, nodes: Iterable[Node]) -> list[dict[str, Any]]:
    """Return changes in order: path, desired acls, and those found; None for a missing znode."""
    found: list[dict[str, Any]] = []
    for node in nodes:
        has = ensemble.acl(node.path)
        if has is None and not node.create:
            continue
        if has is None or sorted(has) != sorted(node.acls):
            found.append({"path": node.path, "acls": node.acls, "found": has})
    return found


def apply(ensemble: Ensemble, changes: Iterable[Mapping[str, Any]], nodes: Iterable[Node]) -> None:
    """Apply the result of ``differences`` for ``nodes``.

    A broker creates znodes below a parent of masters, where it has only the admin right. It gives
    itself all rights on the parent for that time. After an interrupted run the next one finds and
    removes them.
    """
    known = {node.path: node for node in nodes}
    opened: dict[str, Node] = {}
    try:
        for change in changes:
            if change["found"] is not None:
                ensemble.set_acl(change["path"], change["acls"])
                continue
            parent = known.get(change["path"].rpartition("/")[0] or "/")
            if parent and parent.path not in opened and _administered(parent.acls):
                ensemble.set_acl(parent.path, _with_all_rights(parent.acls))
                opened[parent.path] = parent
            _create(ensemble, change, is_opened=parent is not None and parent.path in opened)
    finally:
        for parent in opened.values():
            ensemble.set_acl(parent.path, parent.acls)


def _create(ensemble: Ensemble, change: Mapping[str, Any], *, is_opened: bool) -> None:
    """Create a znode, again if the leader does not know yet that its parent is opened.

    The leader checks requests against the earlier ACL until it has applied the new one itself. A
    follower may have applied it, and responded, before.
    """
    deadline = Deadline(OPENED_S)
    while True:
        try:
            return ensemble.create(change["path"], change["acls"])
        except ZooKeeperError as error:
            if error.code != NO_AUTH or not is_opened or deadline.passed():
                raise
        time.sleep(AGAIN_S)


def _administered(acls: Iterable[Acl]) -> bool:
    """Whether an ACL has the admin right without the right to create children."""
    return any("a" in each.rights and "c" not in each.rights for each in acls)


def _with_all_rights(acls: Iterable[Acl]) -> list[Acl]:
    return [Acl(a.scheme, a.id, ALL) if "a" in a.rights else a for a in acls]


def messages(changes: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return one message for each change."""
    return [
        f"{change['path']}: "
        + (
            "created, "
            if change["found"] is None
            else f"found {_listed(change['found'])}; declared: "
        )
        + _listed(change["acls"])
        for change in changes
    ]


def _listed(found: Iterable[Acl]) -> str:
    return " ".join(map(str, sorted(found))) or "none"
