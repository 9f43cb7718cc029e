# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Users that log in with SCRAM, as they are desired, and the steps to them; no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from .._common.errors import SpecError
from .._kafka.scram import MECHANISMS, Key, Secret

if TYPE_CHECKING:
    from typing import TypeAlias

# When a password that users may have already is set.
ON_CHANGE, ON_CREATE, ALWAYS = "on_change", "on_create", "always"


class UserError(SpecError):
    """Users that cannot be applied as declared."""


@dataclass(frozen=True)
class Spec:
    """A user as declared: how it may log in, and how often its password is hashed."""

    name: str
    mechanisms: tuple[str, ...] = (MECHANISMS[0],)
    iterations: int = 8192


@dataclass(frozen=True)
class Specs:
    """Users that there should be with what is known of their passwords, and those to remove.

    Of ``absent`` every credential is removed; ``withdrawn`` are single ones.
    """

    users: tuple[Spec, ...]
    secrets: Mapping[str, Secret] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    update: str = ON_CHANGE
    withdrawn: tuple[Key, ...] = ()

    def credentials(self) -> list[Key]:
        """User and mechanism of each credential that is declared and whose secret is known."""
        return [
            Key(spec.name, mechanism)
            for spec in self.users
            for mechanism in spec.mechanisms
            if spec.name in self.secrets and self.secrets[spec.name].serves(mechanism)
        ]


@dataclass(frozen=True)
class Put:
    """A credential is set, in one request with all others: there is no moment without one."""

    key: Key
    iterations: int
    reason: str

    def __str__(self) -> str:
        """One message."""
        return f"user {self.key.user}: {self.key.mechanism}: {self.reason}"


@dataclass(frozen=True)
class Remove:
    """A credential is taken away."""

    key: Key

    def __str__(self) -> str:
        """One message."""
        return f"remove user {self.key.user}: {self.key.mechanism}"


# As text: Python 3.9 of a host has no | between classes.
Step: TypeAlias = "Put | Remove"
Current = Mapping[str, Mapping[str, int]]


class Store(Protocol):
    """What the steps are carried out on; the writing method gives the blocker by user."""

    def read_users(self) -> dict[str, dict[str, int]]:
        """Iterations by user and mechanism, of every user with a credential."""

    def try_users(self, secrets: Mapping[Key, Secret]) -> dict[Key, str]:
        """``accepted``, ``refused`` or the reason why nobody knows, by user and mechanism."""

    def alter_users(self, steps: Sequence[Step], secrets: Mapping[str, Secret]) -> dict[str, str]:
        """Set and take away credentials, in force on every broker that can be tried."""


@dataclass(frozen=True)
class Outcome:
    """Steps, users whose password could not be tried with the reason, and foreign credentials."""

    steps: tuple[Step, ...] = ()
    unverified: Mapping[str, str] = field(default_factory=dict)
    foreign: tuple[str, ...] = ()
