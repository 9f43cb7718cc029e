# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Plan changes of client quotas from the current to the desired state; no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .._common.errors import SpecError

# Name of the default entity, which Kafka represents by a missing name.
DEFAULT = "*"
# Kafka's quota keys for users and client ids, and for IP addresses.
CLIENT_KEYS = (
    "producer_byte_rate",
    "consumer_byte_rate",
    "request_percentage",
    "controller_mutation_rate",
)
ADDRESS_KEYS = ("connection_creation_rate",)
# Rounds of applying and reading back; limits a conflict with another client.
ROUNDS = 3


class QuotaError(SpecError):
    """Quotas that cannot be applied as declared."""


@dataclass(frozen=True, order=True)
class Entity:
    """Entity of a quota: a user, a client id, both together, or an IP address.

    An empty part is not in the entity. ``*`` is the default for all without their own quota.
    """

    user: str = ""
    client: str = ""
    ip: str = ""

    def __str__(self) -> str:
        """Return a short form for messages."""
        parts = (("user", self.user), ("client", self.client), ("ip", self.ip))
        return ", ".join(
            f"every other {kind}" if name == DEFAULT else f"{kind} {name}"
            for kind, name in parts
            if name
        )


@dataclass(frozen=True)
class Alter:
    """Set keys of an entity to ``values`` and remove the keys in ``removed``."""

    entity: Entity
    before: Mapping[str, float]
    values: Mapping[str, float]
    removed: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the message for this step."""
        changes = [
            f"{key} {format_number(self.before[key]) if key in self.before else '(none)'}"
            f" -> {format_number(self.values[key])}"
            for key in sorted(self.values)
        ]
        changes += [f"{key} {format_number(self.before[key])} -> (none)" for key in self.removed]
        return f"quota of {self.entity}: {', '.join(changes)}"


@dataclass(frozen=True)
class Specs:
    """Desired values by entity and key, and keys to remove by entity (none: all keys).

    Users in ``absent_users`` lose every quota, also those combined with a client id.
    """

    quotas: Mapping[Entity, Mapping[str, float]]
    absent: Mapping[Entity, frozenset[str]]
    absent_users: frozenset[str] = frozenset()


class Store(Protocol):
    """Target of the steps; the method that writes returns the blocker by entity."""

    def read_quotas(self) -> dict[Entity, dict[str, float]]:
        """Return all quotas of the cluster."""

    def alter_quotas(self, steps: Sequence[Alter], dry: bool) -> dict[Entity, str]:
        """Set and remove keys; with ``dry`` the cluster only validates the steps."""


def format_number(number: float) -> str:
    """Return a number as text, without trailing zeros."""
    return str(int(number)) if number == int(number) else str(number)


def parse_specs(params: Mapping[str, Any]) -> Specs:
    """Return the specs of the module's parameters; raises QuotaError with all errors."""
    errors: list[str] = []

    def entity_of(item: Mapping[str, Any]) -> Entity:
        entity = Entity(**{key: str(item.get(key) or "") for key in ("user", "client", "ip")})
        if not str(entity):
            errors.append("a quota has no entity; allowed: user, client, user and client, or ip")
        elif entity.ip and (entity.user or entity.client):
            errors.append(f"quota of {entity}: an ip cannot be combined with a user or client")
        return entity

    def check(entity: Entity, keys: Iterable[str]) -> None:
        known = ADDRESS_KEYS if entity.ip else CLIENT_KEYS
        errors.extend(
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
            errors.append(f"quota of {entity}: is declared twice")
        quotas[entity] = {}
        for key, value in values.items():
            try:
                quotas[entity][key] = float(value)
            except (TypeError, ValueError):
                errors.append(f"quota of {entity}: {key}: {value!r} is not a number")
    absent = {}
    for item in params.get("absent") or ():
        entity = entity_of(item)
        keys = frozenset(item.get("keys") or ())
        check(entity, keys)
        absent[entity] = keys
        desired = quotas.get(entity, {})
        both = sorted(desired.keys() & (keys or desired.keys()))
        errors += [f"quota of {entity}: {key} is declared and under absent" for key in both]
    if errors:
        raise QuotaError(errors)
    return Specs(quotas, absent, frozenset(params.get("absent_users") or ()))


def plan(current: Mapping[Entity, Mapping[str, float]], specs: Specs) -> list[Alter]:
    """Return the steps from ``current`` to ``specs``; undeclared keys keep their values."""
    steps = []
    of_users = {entity for entity in current if entity.user in specs.absent_users}
    for entity in sorted(specs.quotas.keys() | specs.absent.keys() | of_users):
        found = current.get(entity, {})
        desired = specs.quotas.get(entity, {})
        all_keys = entity in of_users or not specs.absent.get(entity, frozenset({""}))
        obsolete = found.keys() if all_keys else specs.absent.get(entity, frozenset())
        removed = tuple(sorted((obsolete & found.keys()) - desired.keys()))
        changes = {key: value for key, value in desired.items() if found.get(key) != value}
        if changes or removed:
            before = {key: found[key] for key in (*changes, *removed) if key in found}
            steps.append(Alter(entity, before, changes, removed))
    return steps


def carry_out(store: Store, steps: Sequence[Alter], dry: bool) -> None:
    """Apply all steps, or with ``dry`` let the cluster validate them; raises QuotaError."""
    refused = store.alter_quotas(steps, dry) if steps else {}
    if refused:
        blockers = [step for step in steps if step.entity in refused]
        raise QuotaError([f"{step}: {refused[step.entity]}" for step in blockers])


def converge(
    store: Store, specs: Specs, dry: bool, refused: list[str] | None = None
) -> list[Alter]:
    """Apply ``specs`` to ``store``; return the steps; raises QuotaError.

    ``refused`` receives the steps that the cluster refuses when it validates them; without it
    they are an error.
    """
    steps = plan(store.read_quotas(), specs)
    try:
        carry_out(store, steps, dry=True)
    except QuotaError as error:
        if refused is None:
            raise
        refused += error.messages
    if dry:
        return steps
    rest = steps
    for _ in range(ROUNDS):
        if not rest:
            return steps
        carry_out(store, rest, dry=False)
        rest = plan(store.read_quotas(), specs)
    if rest:
        raise QuotaError([f"{step}: was applied but is not in effect" for step in rest])
    return steps


def difference(steps: Iterable[Alter]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the changed entities before and after ``steps``, for ``--diff``."""
    steps = list(steps)
    return {
        "before": {str(step.entity): dict(step.before) for step in steps},
        "after": {str(step.entity): dict(step.values) for step in steps},
    }
