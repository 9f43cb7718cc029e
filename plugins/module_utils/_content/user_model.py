# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""SCRAM users, their specs and the steps to them; no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from .._common.errors import SpecError
from .._kafka.scram import MECHANISMS, Key, Secret

if TYPE_CHECKING:
    from typing import TypeAlias

# Values of ``update_password``: when the password of an existing credential is set.
ON_CHANGE, ON_CREATE, ALWAYS = "on_change", "on_create", "always"


class UserError(SpecError):
    """Users that cannot be applied as declared."""


@dataclass(frozen=True)
class Spec:
    """A desired user: its SCRAM mechanisms and the iterations of its hash."""

    name: str
    mechanisms: tuple[str, ...] = (MECHANISMS[0],)
    iterations: int = 8192


@dataclass(frozen=True)
class Specs:
    """Desired users with their known secrets, and credentials to remove.

    Users in ``absent`` lose every credential; ``withdrawn`` are single credentials.
    """

    users: tuple[Spec, ...]
    secrets: Mapping[str, Secret] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    update: str = ON_CHANGE
    withdrawn: tuple[Key, ...] = ()

    def credentials(self) -> list[Key]:
        """Return user and mechanism of each declared credential with a known secret."""
        return [
            Key(spec.name, mechanism)
            for spec in self.users
            for mechanism in spec.mechanisms
            if spec.name in self.secrets and self.secrets[spec.name].serves(mechanism)
        ]


@dataclass(frozen=True)
class Put:
    """Set a credential; Kafka replaces it in one step, so the user always has a valid one."""

    key: Key
    iterations: int
    reason: str

    def __str__(self) -> str:
        """Return the message for this step."""
        return f"user {self.key.user}: {self.key.mechanism}: {self.reason}"


@dataclass(frozen=True)
class Remove:
    """Step that removes a user's credential of one mechanism."""

    key: Key

    def __str__(self) -> str:
        """Return the message for this step."""
        return f"remove user {self.key.user}: {self.key.mechanism}"


# A string, because Python 3.9 on hosts does not support | between classes.
Step: TypeAlias = "Put | Remove"
Current = Mapping[str, Mapping[str, int]]


class Store(Protocol):
    """Target of the steps; the method that writes returns the blocker by user."""

    def read_users(self) -> dict[str, dict[str, int]]:
        """Return iterations by user and mechanism, of every user with a credential."""

    def check_passwords(self, secrets: Mapping[Key, Secret]) -> dict[Key, str]:
        """Return ``accepted``, ``refused`` or why the login could not be checked, by key."""

    def alter_users(self, steps: Sequence[Step], secrets: Mapping[str, Secret]) -> dict[str, str]:
        """Set and remove credentials and wait until reachable brokers accept them."""


@dataclass(frozen=True)
class Outcome:
    """Steps, reasons by user whose password could not be checked, and foreign credentials."""

    steps: tuple[Step, ...] = ()
    unverified: Mapping[str, str] = field(default_factory=dict)
    foreign: tuple[str, ...] = ()
