# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Specs of the store of credentials, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .pki.leaf import Leaf


class CredentialsError(ValueError):
    """A spec that cannot be met, with one message for each blocker; nothing was changed."""

    def __init__(self, *problems: str) -> None:
        """Store the messages."""
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class CaSpec:
    """The CA, which is generated unless its files or the directory are provided."""

    common_name: str
    days: int
    certificate_file: str = ""
    key_file: str = ""
    directory: str = ""
    trusted_file: str = ""


@dataclass(frozen=True)
class Machine:
    """Identity data of the cluster on one machine: see metal.kafka.machine_info, C(members).

    ``reached``: whether the run reached the machine.
    """

    name: str = ""
    running: tuple[str, ...] = ()
    configured: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    reached: bool = True


@dataclass(frozen=True)
class Spec:
    """The whole spec. ``names`` limits the rotation; empty means all items of the kind.

    ``replace_keys_of``: name of the cluster whose keys are replaced by new ones.
    """

    cluster: str
    ca: CaSpec
    certificates: tuple[Leaf, ...]
    passwords: tuple[str, ...]
    provided_passwords: Mapping[str, str]
    renew_before_days: int
    rotate: str
    names: tuple[str, ...]
    phase: str
    purge: bool
    machines: tuple[Machine, ...] = ()
    replace_keys_of: str = ""
    # Certificates of the quorum, and the CA that issues them: own or platform.
    quorum: tuple[Leaf, ...] = ()
    quorum_ca: str = "own"
    # Remove only passwords of users that are no longer declared.
    purge_passwords: bool = False

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """All certificates, of both CAs."""
        return (*self.certificates, *self.quorum)
