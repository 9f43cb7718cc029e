# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Client quotas: current state, desired state and the steps between; no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .._common.errors import SpecError

# The name of those that have no quota of their own, where Kafka has no name at all.
DEFAULT = "*"
# Kafka's keys of those that a user or a client has, and of those that an address has.
CLIENT_KEYS = (
    "producer_byte_rate",
    "consumer_byte_rate",
    "request_percentage",
    "controller_mutation_rate",
)
ADDRESS_KEYS = ("connection_creation_rate",)
# Looks for what was set; a quarrel with somebody else ends there.
ROUNDS = 3


class QuotaError(SpecError):
    """Quotas that cannot be applied as declared."""


@dataclass(frozen=True, order=True)
class Entity:
    """Whom a quota is for: a user, a client id, both together, or an address.

    Empty: plays no part. ``*``: each one that has none of its own.
    """

    user: str = ""
    client: str = ""
    ip: str = ""

    def __str__(self) -> str:
        """Short, for people."""
        parts = (("user", self.user), ("client", self.client), ("ip", self.ip))
        return ", ".join(
            f"every other {kind}" if name == DEFAULT else f"{kind} {name}"
            for kind, name in parts
            if name
        )


@dataclass(frozen=True)
class Alter:
    """Keys of an entity get values; ``removed`` are taken away."""

    entity: Entity
    before: Mapping[str, float]
    values: Mapping[str, float]
    removed: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One message."""
        changes = [
            f"{key} {plain(self.before[key]) if key in self.before else '(none)'}"
            f" -> {plain(self.values[key])}"
            for key in sorted(self.values)
        ]
        changes += [f"{key} {plain(self.before[key])} -> (none)" for key in self.removed]
        return f"quota of {self.entity}: {', '.join(changes)}"


@dataclass(frozen=True)
class Specs:
    """Values by entity and key, and keys to take away by entity; no keys are all of them.

    Of ``absent_users`` every quota is taken away, also together with a client id.
    """

    quotas: Mapping[Entity, Mapping[str, float]]
    absent: Mapping[Entity, frozenset[str]]
    absent_users: frozenset[str] = frozenset()


class Store(Protocol):
    """What the steps are carried out on; the writing method gives the blocker by entity."""

    def read_quotas(self) -> dict[Entity, dict[str, float]]:
        """All quotas of the cluster."""

    def alter_quotas(self, steps: Sequence[Alter], dry: bool) -> dict[Entity, str]:
        """Set and take away; with ``dry`` the cluster judges and does nothing."""


def plain(number: float) -> str:
    """A number without a tail of zeros."""
    return str(int(number)) if number == int(number) else str(number)


def specs_of(params: Mapping[str, Any]) -> Specs:
    """Specs from the parameters of the module; raises QuotaError with everything wrong."""
    wrong: list[str] = []

    def entity_of(item: Mapping[str, Any]) -> Entity:
        entity = Entity(**{key: str(item.get(key) or "") for key in ("user", "client", "ip")})
        if not str(entity):
            wrong.append("a quota is for a user, a client or an ip; none is given")
        elif entity.ip and (entity.user or entity.client):
            wrong.append(f"quota of {entity}: an ip stands alone")
        return entity

    def check(entity: Entity, keys: Iterable[str]) -> None:
        known = ADDRESS_KEYS if entity.ip else CLIENT_KEYS
        wrong.extend(
            f"quota of {entity}: unknown key {key}; allowed: {', '.join(known)}"
            for key in keys
            if key not in known
        )

    quotas: dict[Entity, dict[str, float]] = {}
    for item in params.get("quotas") or ():
        entity = entity_of(item)
        values = {str(key): value for key, value in (item.get("values") or {}).items()}
        check(entity, values)
        if entity in quotas:
            wrong.append(f"quota of {entity}: is given twice")
        quotas[entity] = {}
        for key, value in values.items():
            try:
                quotas[entity][key] = float(value)
            except (TypeError, ValueError):
                wrong.append(f"quota of {entity}: {key}: {value!r} is no number")
    absent = {}
    for item in params.get("absent") or ():
        entity = entity_of(item)
        keys = frozenset(item.get("keys") or ())
        check(entity, keys)
        absent[entity] = keys
        desired = quotas.get(entity, {})
        both = sorted(desired.keys() & (keys or desired.keys()))
        wrong += [f"quota of {entity}: {key} is declared and under absent" for key in both]
    if wrong:
        raise QuotaError(wrong)
    return Specs(quotas, absent, frozenset(params.get("absent_users") or ()))


def plan(current: Mapping[Entity, Mapping[str, float]], specs: Specs) -> list[Alter]:
    """Steps from ``current`` to ``specs``; a key that is not declared keeps its value."""
    steps = []
    # A user's own go with the user, whatever else they name.
    of_users = {entity for entity in current if entity.user in specs.absent_users}
    for entity in sorted(specs.quotas.keys() | specs.absent.keys() | of_users):
        found = current.get(entity, {})
        desired = specs.quotas.get(entity, {})
        everything = entity in of_users or not specs.absent.get(entity, frozenset({""}))
        gone = found.keys() if everything else specs.absent.get(entity, frozenset())
        removed = tuple(sorted((gone & found.keys()) - desired.keys()))
        changes = {key: value for key, value in desired.items() if found.get(key) != value}
        if changes or removed:
            before = {key: found[key] for key in (*changes, *removed) if key in found}
            steps.append(Alter(entity, before, changes, removed))
    return steps


def carry_out(store: Store, steps: Sequence[Alter], dry: bool) -> None:
    """Do the steps, or with ``dry`` have the cluster judge them; raises QuotaError."""
    refused = store.alter_quotas(steps, dry) if steps else {}
    if refused:
        blockers = [step for step in steps if step.entity in refused]
        raise QuotaError([f"{step}: {refused[step.entity]}" for step in blockers])


def converge(store: Store, specs: Specs, dry: bool) -> list[Alter]:
    """Bring the quotas of ``store`` to ``specs``; returns the steps; raises QuotaError."""
    steps = plan(store.read_quotas(), specs)
    carry_out(store, steps, dry=True)
    if dry:
        return steps
    rest = steps
    for _ in range(ROUNDS):
        if not rest:
            return steps
        carry_out(store, rest, dry=False)
        rest = plan(store.read_quotas(), specs)
    if rest:
        raise QuotaError([f"{step}: was done and is not there" for step in rest])
    return steps


def difference(steps: Iterable[Alter]) -> dict[str, dict[str, dict[str, float]]]:
    """Before and after of the entities that ``steps`` touch, for ``--diff``."""
    steps = list(steps)
    return {
        "before": {str(step.entity): dict(step.before) for step in steps},
        "after": {str(step.entity): dict(step.values) for step in steps},
    }
