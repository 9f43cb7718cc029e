# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What an operator specs of the store of credentials, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .pki.leaf import Leaf


class CredentialsError(ValueError):
    """What cannot be done, one message for each blocker; nothing was touched."""

    def __init__(self, *problems: str) -> None:
        """Take the messages."""
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class CaSpec:
    """The CA: made here unless one of the files or the directory is given."""

    common_name: str
    days: int
    certificate_file: str = ""
    key_file: str = ""
    directory: str = ""
    trusted_file: str = ""


@dataclass(frozen=True)
class Machine:
    """What one machine has of the cluster: see metal.kafka.machine_info, C(members).

    ``asked``: whether the run reached it.
    """

    name: str = ""
    running: tuple[str, ...] = ()
    configured: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    asked: bool = True


@dataclass(frozen=True)
class Spec:
    """All of it. ``names`` narrows what is rotated; empty means everything of the kind.

    ``anew``: the cluster whose keys are given up, by name.
    """

    cluster: str
    ca: CaSpec
    certificates: tuple[Leaf, ...]
    passwords: tuple[str, ...]
    given_passwords: Mapping[str, str]
    renew_before_days: int
    rotate: str
    names: tuple[str, ...]
    phase: str
    purge: bool
    machines: tuple[Machine, ...] = ()
    anew: str = ""
    # Certificates of the ensemble's quorum, and whose CA they shall be of: own or platform.
    quorum: tuple[Leaf, ...] = ()
    quorum_ca: str = "own"
    # Passwords alone: of users that are no longer declared.
    purge_passwords: bool = False

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """All certificates, whoever issues them."""
        return (*self.certificates, *self.quorum)
