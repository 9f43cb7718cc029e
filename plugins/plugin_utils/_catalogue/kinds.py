# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What a file of the catalogue says of one kind of service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Caller:
    """Hosts of ``group`` connect to the port in the variable ``port``, for a ``purpose``.

    Where that variable holds listeners, the variable ``listener`` names the one.
    """

    group: str
    port: str
    purpose: str
    listener: str | None = None


@dataclass(frozen=True)
class Certificate:
    """What an instance shows: ``name`` in the store, ``subject``, and how others reach it.

    Both and ``reached`` hold variables in braces; ``listeners`` stands for what listeners advertise
    and bind. ``authority`` is the CA, where it is not that of the platform; ``where`` names a fact
    of the site without which there is no such certificate.
    """

    name: str
    subject: str
    usages: tuple[str, ...]
    reached: tuple[str, ...]
    authority: str = ""
    where: str = ""


@dataclass(frozen=True)
class User:
    """Who the containers labelled as ``service`` run as; no other kind has the same numbers.

    The group is the number of the user, where ``gid`` does not give another. With ``shared`` the
    processes are in the group of shared directories instead (container_users.SHARED).
    """

    service: str
    uid: int
    gid: int = 0
    shared: bool = False


@dataclass(frozen=True)
class Service:
    """One kind of service; apart from the first ones, its fields are names of variables.

    It starts ``after`` other kinds, and stops before them. There is an instance on each host of
    ``group`` (``metal``: on every machine); ``where`` names a fact of the site without which there
    is none. ``instance`` is the name of one, with variables in braces. ``job`` is the one of
    Prometheus that reads its metrics, at ``agent`` or, without one, at the first of ``ports``.

    ``ids`` are the lowest and highest number allowed. ``ports`` name a port each, or listeners by
    name; ``bind`` the address that single ports bind. ``directories`` name a path or a list of
    paths; those also in ``disks`` want a disk of their own. ``each`` names a dict with an entry per
    process, each of which takes the next port, or its own in the dict ``own_ports``. ``address`` is
    what others call an instance by, or ``listener`` the name of the one at which they do;
    ``callers`` are those others. What is written to ``journal`` is fsynced before every answer;
    ``open_files`` is the limit of open files that the instance wants, ``rack`` where it stands.
    ``accounts`` are users of the cluster that all instances share, as content declares users.
    ``agent`` is the port at which the JVM tells its figures, 0 for none, at ROLE_metrics_bind.
    ``users`` are those of its containers, and of clients that go with it.
    """

    kind: str
    group: str
    role: str
    where: str = ""
    after: tuple[str, ...] = ()
    instance: str = ""
    job: str = ""
    id: str | None = None
    ids: tuple[int, int] = (0, 0)
    bind: str | None = None
    ports: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    disks: tuple[str, ...] = ()
    heap: str | None = None
    memory: str | None = None
    each: str | None = None
    own_ports: str | None = None
    address: str | None = None
    listener: str | None = None
    callers: tuple[Caller, ...] = ()
    certificates: tuple[Certificate, ...] = ()
    accounts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    journal: tuple[str, ...] = ()
    open_files: str | None = None
    rack: str | None = None
    agent: str | None = None
    users: tuple[User, ...] = ()
