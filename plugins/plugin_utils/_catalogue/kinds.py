# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Data types of the catalogue's files, one file for each kind of service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ClientGroup:
    """Hosts of ``group`` connect to the port in the variable ``port``, for a ``purpose``.

    If that variable has listeners, the variable ``listener`` has the name of the listener.
    """

    group: str
    port: str
    purpose: str
    listener: str | None = None


@dataclass(frozen=True)
class Server:
    """A kind of service to which a kind connects, see ClientGroup; written at the client."""

    kind: str
    port: str
    purpose: str
    listener: str | None = None


@dataclass(frozen=True)
class Certificate:
    """A certificate of an instance: ``name`` in the store, ``subject``, and alternative names.

    All three may contain variables in braces; ``listeners`` in ``subject_alt_names`` is replaced by
    the listeners' addresses. ``authority`` is the CA, if not the platform's. ``when`` is a fact of
    the site; if it is empty, the certificate does not exist.
    """

    name: str
    subject: str
    usages: tuple[str, ...]
    subject_alt_names: tuple[str, ...]
    authority: str = ""
    when: str = ""


@dataclass(frozen=True)
class User:
    """User of the containers with the label ``service``; user ids are unique.

    The group id equals the user id unless ``gid`` is set. With ``shared_group`` the processes are
    in the group of shared directories instead (container_users.SHARED).
    """

    service: str
    uid: int
    gid: int = 0
    shared_group: bool = False


@dataclass(frozen=True)
class ApiUsers:
    """Users of an API that all instances serve, with passwords of the secret store.

    The variable ``declared`` has a role for each user's name, one of ``roles``. ``platform`` has
    the roles of the platform's own users: ``operator``, for the verbs of this project, and services
    that use the API.
    """

    declared: str
    roles: tuple[str, ...]
    platform: Mapping[str, str]


@dataclass(frozen=True)
class Service:
    """One kind of service; except the first ones, its fields are names of variables.

    It starts ``after`` other kinds, and stops before them. Each host of ``group`` has an instance
    (``metal``: each machine); ``when`` is a fact of the site, without which there are none.
    ``instance`` is the name of an instance, with variables in braces. ``job`` is the Prometheus job
    for its metrics, at ``metrics_port`` or, without it, at the first of ``ports``.
    ``down_without_metrics``: an instance whose metrics cannot be read is down, because the page of
    the cluster reads it in no other way.

    ``id_range``: lowest and highest id. ``ports``: single ports, or listeners by name; ``bind``:
    the address for single ports. ``directories``: paths or lists of paths; those in
    ``own_disk_directories`` need their own disk; those in ``fsync_directories`` have an fsync
    before every response. ``processes``: a dict with an entry per process, each with the next port,
    or its own one in the dict ``process_ports``. ``clients`` connect to ``address``, or to the
    listener whose name is in ``listener``; ``connects_to`` declares the same at the client.
    ``open_files``: the limit of open files. ``rack``: the instance's rack. ``service_accounts`` are
    shared by all instances, have the form of declared users and the roles that each instance adds;
    ``topics`` have the form of declared topics, without replication (service_topics.py). Both may
    contain variables in braces. ``consumer_groups``: prefixes of generated names of an instance's
    consumer groups, whose lag means nothing.
    ``api_users``: users of the instances' API; the role's tasks/access.yml writes their files to
    the directory ROLE/USER of the state. ``metrics_port``: the port of metrics, 0 for none, at
    ``metrics_bind``. ``ready``: the path there that answers with 200 once the instance serves.
    ``heap``: the heap of its JVM, or what it offers to JVMs that it starts; then ``daemon_heap`` is
    its own heap. ``memory``: the limit of its container.
    ``container_users``: users of its containers, the first one, and of related clients.
    ``needs_certificates``: it does not run in a security mode without certificates.
    ``reads_own_status``: each host only reads the state of its own instances.
    ``shared``: variables that have the same value on all instances.
    """

    kind: str
    group: str
    role: str
    when: str = ""
    after: tuple[str, ...] = ()
    instance: str = ""
    job: str = ""
    down_without_metrics: bool = False
    id: str | None = None
    id_range: tuple[int, int] = (0, 0)
    bind: str | None = None
    ports: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    own_disk_directories: tuple[str, ...] = ()
    heap: str | None = None
    daemon_heap: str | None = None
    memory: str | None = None
    processes: str | None = None
    process_ports: str | None = None
    address: str | None = None
    listener: str | None = None
    clients: tuple[ClientGroup, ...] = ()
    certificates: tuple[Certificate, ...] = ()
    service_accounts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    fsync_directories: tuple[str, ...] = ()
    open_files: str | None = None
    rack: str | None = None
    metrics_port: str | None = None
    container_users: tuple[User, ...] = ()
    connects_to: tuple[Server, ...] = ()
    topics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    consumer_groups: tuple[str, ...] = ()
    api_users: tuple[ApiUsers, ...] = ()
    needs_certificates: bool = False
    reads_own_status: bool = False
    shared: tuple[str, ...] = ()
    ready: str = ""

    @property
    def container_label(self) -> str:
        """The label of its containers that has their kind, without users the kind."""
        return self.container_users[0].service if self.container_users else self.kind

    @property
    def is_numbered(self) -> bool:
        """Whether its containers have the place of their host in the group in their names.

        The instance is named by its machine; an engine may not allow that as a container's name.
        """
        return "{metal_machine}" in self.instance

    @property
    def metrics_bind(self) -> str:
        """Name of the variable with the address that ``metrics_port`` is bound to."""
        return f"{self.role}_metrics_bind"
