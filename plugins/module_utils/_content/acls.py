# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""ACLs: current state, desired state and the steps between; no I/O."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from .._common.errors import SpecError

if TYPE_CHECKING:
    from typing import TypeAlias

ALLOW, DENY = "allow", "deny"
LITERAL, PREFIXED = "literal", "prefixed"
ANYWHERE = "*"
# The one name that the resource of type cluster has.
CLUSTER_NAME = "kafka-cluster"

# Kinds of resources, and the operations that Kafka asks for on each.
OPERATIONS = {
    "topic": (
        *("read", "write", "create", "delete", "alter", "describe"),
        *("describe_configs", "alter_configs", "all"),
    ),
    "group": ("read", "describe", "delete", "all"),
    "cluster": (
        *("create", "alter", "describe", "cluster_action", "describe_configs", "alter_configs"),
        *("idempotent_write", "all"),
    ),
    "transactional_id": ("write", "describe", "all"),
    "delegation_token": ("describe", "all"),
    "user": ("create_tokens", "describe_tokens", "all"),
}
# ACLs in one request. Brokers keep them by resource and write each resource once.
AT_ONCE = 200


class AclError(SpecError):
    """ACLs that cannot be applied as declared."""


@dataclass(frozen=True, order=True)
class Acl:
    """One ACL, in the words of Kafka's tools in lower case."""

    principal: str
    resource_type: str
    resource: str
    operation: str
    pattern: str = LITERAL
    permission: str = ALLOW
    host: str = ANYWHERE

    def __str__(self) -> str:
        """Short, for people: ``User:alice may read topic payments-*``."""
        name = "" if self.resource_type == "cluster" else f" {self.resource}"
        star = "*" if self.pattern == PREFIXED else ""
        host = "" if self.host == ANYWHERE else f" from {self.host}"
        verb = "may" if self.permission == ALLOW else "must not"
        kind = self.resource_type.replace("_", " ")
        return f"{self.principal} {verb} {self.operation} {kind}{name}{star}{host}"


@dataclass(frozen=True)
class Grant:
    """An ACL is made."""

    acl: Acl

    def __str__(self) -> str:
        """One message."""
        return f"add: {self.acl}"


@dataclass(frozen=True)
class Revoke:
    """An ACL is taken away."""

    acl: Acl

    def __str__(self) -> str:
        """One message."""
        return f"remove: {self.acl}"


# As text: Python 3.9 of a host has no | between classes.
Step: TypeAlias = "Grant | Revoke"


@dataclass(frozen=True)
class Specs:
    """ACLs that there should be, and those that should not.

    Of ``absent_principals`` every ACL is taken away.
    """

    acls: frozenset[Acl] = frozenset()
    absent: frozenset[Acl] = frozenset()
    absent_principals: frozenset[str] = frozenset()


class Store(Protocol):
    """What the steps are carried out on; the writing methods give the blocker by ACL."""

    def read_acls(self) -> set[Acl]:
        """All ACLs of the cluster."""

    def create_acls(self, acls: Sequence[Acl]) -> dict[Acl, str]:
        """Make ACLs and wait until every broker goes by them."""

    def delete_acls(self, acls: Sequence[Acl]) -> dict[Acl, str]:
        """Take ACLs away and wait until no broker goes by them."""


def acl_of(fields: Mapping[str, Any]) -> Acl:
    """An ACL from plain fields; raises AclError for one that Kafka has no word for."""
    acl = Acl(**{key: str(value) for key, value in fields.items() if value is not None})
    allowed = OPERATIONS.get(acl.resource_type)
    if allowed is None:
        raise AclError([f"{acl}: no resource type; allowed: {', '.join(OPERATIONS)}"])
    if acl.operation not in allowed:
        raise AclError([f"{acl}: no operation of a {acl.resource_type}: {', '.join(allowed)}"])
    if "/" in acl.resource:
        raise AclError([f"{acl}: brokers keep no ACL of a name with a slash; another name, or '*'"])
    if ":" not in acl.principal:
        raise AclError([f"{acl.principal!r} is no principal; User:{acl.principal} may be meant"])
    if acl.pattern not in (LITERAL, PREFIXED) or acl.permission not in (ALLOW, DENY):
        raise AclError([f"{acl}: pattern is literal or prefixed, permission allow or deny"])
    return acl


def fields_of(acl: Acl) -> dict[str, str]:
    """An ACL as plain fields."""
    return asdict(acl)


def specs_of(params: Mapping[str, Any]) -> Specs:
    """Specs from the parameters of the module; raises AclError with everything wrong."""
    wrong: list[str] = []

    def read(items: Iterable[Mapping[str, Any]]) -> frozenset[Acl]:
        found = set()
        for item in items:
            try:
                found.add(acl_of(item))
            except AclError as error:
                wrong.extend(error.messages)
        return frozenset(found)

    acls, absent = read(params.get("acls") or ()), read(params.get("absent") or ())
    principals = frozenset(params.get("absent_principals") or ())
    wrong += [f"{acl}: is declared and under absent" for acl in sorted(acls & absent)]
    wrong += [
        f"{acl}: is declared, and {acl.principal} is under absent_principals"
        for acl in sorted(acls)
        if acl.principal in principals
    ]
    if wrong:
        raise AclError(wrong)
    return Specs(acls, absent, principals)


def plan(current: Collection[Acl], specs: Specs) -> list[Step]:
    """Steps from ``current`` to ``specs``: what is new first, so that nobody loses access."""
    there = set(current)
    gone = {acl for acl in there if acl in specs.absent or acl.principal in specs.absent_principals}
    return [
        *(Grant(acl) for acl in sorted(specs.acls - there)),
        *(Revoke(acl) for acl in sorted(gone)),
    ]


def foreign(current: Iterable[Acl], specs: Specs) -> list[Acl]:
    """ACLs of principals that are declared, which are neither declared nor taken away."""
    declared = {acl.principal for acl in specs.acls}
    return sorted(
        acl
        for acl in current
        if acl.principal in declared and acl not in specs.acls and acl not in specs.absent
    )


def portions(acls: Iterable[Acl]) -> Iterator[list[Acl]]:
    """ACLs in groups that one request carries, those of one resource side by side."""
    rest = sorted(acls, key=lambda acl: (acl.resource_type, acl.pattern, acl.resource, acl))
    for start in range(0, len(rest), AT_ONCE):
        yield rest[start : start + AT_ONCE]


def carry_out(store: Store, steps: Sequence[Step]) -> None:
    """Do the steps; raises AclError with every blocker, whatever became of the others."""
    grants = [step.acl for step in steps if isinstance(step, Grant)]
    revokes = [step.acl for step in steps if isinstance(step, Revoke)]
    refused = store.create_acls(grants) if grants else {}
    # A principal does not lose what it has while it lacks what it shall have instead.
    if not refused and revokes:
        refused = store.delete_acls(revokes)
    if refused:
        blockers = [(step, refused[step.acl]) for step in steps if step.acl in refused]
        raise AclError([f"{step}: {reason}" for step, reason in blockers])


def converge(store: Store, specs: Specs, dry: bool) -> tuple[list[Step], list[Acl]]:
    """Bring the ACLs of ``store`` to ``specs``: the steps, and foreign ACLs; raises AclError."""
    current = store.read_acls()
    steps = plan(current, specs)
    if not dry:
        carry_out(store, steps)
    return steps, foreign(current, specs)


def difference(steps: Iterable[Step]) -> dict[str, str]:
    """Before and after of what ``steps`` touch, one line for each ACL, for ``--diff``."""
    steps = list(steps)
    return {
        "before": "".join(f"{step.acl}\n" for step in steps if isinstance(step, Revoke)),
        "after": "".join(f"{step.acl}\n" for step in steps if isinstance(step, Grant)),
    }
