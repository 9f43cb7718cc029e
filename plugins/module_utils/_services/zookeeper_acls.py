# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Who may write the nodes of an ensemble that Kafka and Spark leave to everybody.

Kafka gives what it creates to its brokers, but not the root, nor ``/consumers``; Spark gives
nothing to anybody. Whoever may write a parent may delete a child and put another in its place,
whatever the child's own ACL says: ``/controller_epoch`` below an open root.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .zookeeper_client import LETTERS, Acl

ALL = LETTERS
WORLD_READS = Acl("world", "anyone", "r")
OPEN = (Acl("world", "anyone", ALL),)
# What is left open: by ZooKeeper itself, by Kafka, by us for Spark.
OF_BROKERS = ("/", "/zookeeper", "/zookeeper/quota", "/consumers")
# Below Spark's node: masters' election, and what they know. What they make in there is open, but
# nobody else can list, make or delete it.
OF_MASTERS = ("/leader_election", "/master_status")
OWNED, ANYBODY = "own", "platform"


@dataclass(frozen=True)
class Node:
    """A node and its ACLs; ``create``: it has to be there."""

    path: str
    acls: tuple[Acl, ...]
    create: bool = False


class Ensemble(Protocol):
    """What a session with a server can do."""

    def acl(self, path: str) -> list[Acl] | None:
        """The ACLs of a node, None without one."""

    def set_acl(self, path: str, wanted: Sequence[Acl]) -> None:
        """Give a node these ACLs."""

    def create(self, path: str, wanted: Sequence[Acl]) -> None:
        """Make a node."""


def wanted(
    brokers: Iterable[str], masters: Iterable[str], spark: str, trust: str
) -> list[dict[str, Any]]:
    """The nodes in plain types, parents first.

    ``brokers`` and ``masters`` are subjects of the certificates that they show to the ensemble,
    ``spark`` the node in which masters keep their state. Masters may not write above it, so it is
    made for them. Brokers stay its administrators: the next run, and the way back, come as one.
    ``trust``: OWNED, or ANYBODY for nodes as they were at first.
    """
    ours = [Acl("x509", each, ALL) for each in dict.fromkeys(brokers)]
    theirs = [Acl("x509", each, ALL) for each in dict.fromkeys(masters)]
    of_brokers = (*ours, WORLD_READS)
    of_spark = (*theirs, *(Acl("x509", each.id, "ra" if theirs else ALL) for each in ours))
    if trust == ANYBODY:
        of_brokers = of_spark = OPEN
    create = bool(theirs) and trust == OWNED
    names = spark.strip("/").split("/")
    above = ["/" + "/".join(names[:depth]) for depth in range(1, len(names))]
    nodes = [
        *(Node(path, of_brokers) for path in OF_BROKERS),
        *(Node(path, of_brokers, create=create) for path in above),
        *(Node(f"{spark}{part}", of_spark, create=create) for part in ("", *OF_MASTERS)),
    ]
    return [{**vars(node), "acls": [vars(each) for each in node.acls]} for node in nodes]


def read(plain: Iterable[Mapping[str, Any]]) -> list[Node]:
    """Nodes out of plain types."""
    return [
        Node(
            path=each["path"],
            acls=tuple(Acl(a["scheme"], a["id"], a["rights"]) for a in each["acls"]),
            create=bool(each.get("create")),
        )
        for each in plain
    ]


def differences(ensemble: Ensemble, nodes: Iterable[Node]) -> list[dict[str, Any]]:
    """What has to change, in order: path, acls, and what was found; None where it is to be made."""
    found: list[dict[str, Any]] = []
    for node in nodes:
        has = ensemble.acl(node.path)
        if has is None and not node.create:
            continue
        if has is None or sorted(has) != sorted(node.acls):
            found.append({"path": node.path, "acls": node.acls, "found": has})
    return found


def apply(ensemble: Ensemble, changes: Iterable[Mapping[str, Any]], nodes: Iterable[Node]) -> None:
    """Carry out what ``differences`` found of ``nodes``.

    A node whose parent belongs to masters is made by a broker, who is the parent's administrator
    and no more: for this moment its rights there are all of them. A run that dies then leaves that
    for the next one to find.
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
            ensemble.create(change["path"], change["acls"])
    finally:
        for parent in opened.values():
            ensemble.set_acl(parent.path, parent.acls)


def _administered(acls: Iterable[Acl]) -> bool:
    """Whether somebody may say who makes children and cannot make any."""
    return any("a" in each.rights and "c" not in each.rights for each in acls)


def _with_all_rights(acls: Iterable[Acl]) -> list[Acl]:
    return [Acl(a.scheme, a.id, ALL) if "a" in a.rights else a for a in acls]


def messages(changes: Iterable[Mapping[str, Any]]) -> list[str]:
    """The changes for people."""
    return [
        f"{change['path']}: "
        + ("made, " if change["found"] is None else f"found {_listed(change['found'])}; wanted ")
        + _listed(change["acls"])
        for change in changes
    ]


def _listed(found: Iterable[Acl]) -> str:
    return " ".join(map(str, sorted(found))) or "none"
