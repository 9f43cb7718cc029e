# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Plan ACL changes from the current to the desired state; no I/O."""

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
# Kafka's fixed name of the resource of type "cluster".
CLUSTER_NAME = "kafka-cluster"

# Operations that Kafka checks, by resource type.
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
# ACLs in one request. Brokers store ACLs by resource and write each resource once.
PER_REQUEST = 200


class AclError(SpecError):
    """ACLs that cannot be applied as declared."""


@dataclass(frozen=True, order=True)
class Acl:
    """One ACL; types and operations are Kafka's names in lower case."""

    principal: str
    resource_type: str
    resource: str
    operation: str
    pattern: str = LITERAL
    permission: str = ALLOW
    host: str = ANYWHERE

    def __str__(self) -> str:
        """Return a short form for messages: ``User:alice may read topic payments-*``."""
        name = "" if self.resource_type == "cluster" else f" {self.resource}"
        star = "*" if self.pattern == PREFIXED else ""
        host = "" if self.host == ANYWHERE else f" from {self.host}"
        verb = "may" if self.permission == ALLOW else "must not"
        kind = self.resource_type.replace("_", " ")
        return f"{self.principal} {verb} {self.operation} {kind}{name}{star}{host}"


@dataclass(frozen=True)
class Grant:
    """Step that creates an ACL."""

    acl: Acl

    def __str__(self) -> str:
        """Return the message for this step."""
        return f"add: {self.acl}"


@dataclass(frozen=True)
class Revoke:
    """Step that deletes an ACL."""

    acl: Acl

    def __str__(self) -> str:
        """Return the message for this step."""
        return f"remove: {self.acl}"


# A string, because Python 3.9 on hosts does not support | between classes.
Step: TypeAlias = "Grant | Revoke"


@dataclass(frozen=True)
class Specs:
    """Desired ACLs, ACLs to delete, and principals that lose all their ACLs."""

    acls: frozenset[Acl] = frozenset()
    absent: frozenset[Acl] = frozenset()
    absent_principals: frozenset[str] = frozenset()


class Store(Protocol):
    """Target of the steps; methods that write return the blocker by ACL."""

    def read_acls(self) -> set[Acl]:
        """Return all ACLs of the cluster."""

    def create_acls(self, acls: Sequence[Acl]) -> dict[Acl, str]:
        """Create ACLs and wait until every broker enforces them."""

    def delete_acls(self, acls: Sequence[Acl]) -> dict[Acl, str]:
        """Delete ACLs and wait until no broker enforces them."""


def parse_acl(fields: Mapping[str, Any]) -> Acl:
    """Return the ACL of plain fields; raises AclError for values that Kafka does not support."""
    acl = Acl(**{key: str(value) for key, value in fields.items() if value is not None})
    allowed = OPERATIONS.get(acl.resource_type)
    if allowed is None:
        raise AclError([f"{acl}: unknown resource type; allowed: {', '.join(OPERATIONS)}"])
    if acl.operation not in allowed:
        kind = acl.resource_type
        raise AclError([f"{acl}: unknown operation of a {kind}; allowed: {', '.join(allowed)}"])
    if "/" in acl.resource:
        raise AclError([f"{acl}: brokers store no ACL for a name with a slash; rename it or use *"])
    if ":" not in acl.principal:
        raise AclError(
            [f"{acl.principal!r} is not a principal; did you mean User:{acl.principal}?"]
        )
    if acl.pattern not in (LITERAL, PREFIXED) or acl.permission not in (ALLOW, DENY):
        raise AclError([f"{acl}: allowed: pattern literal or prefixed, permission allow or deny"])
    return acl


def acl_fields(acl: Acl) -> dict[str, str]:
    """Return an ACL as plain fields."""
    return asdict(acl)


def parse_specs(params: Mapping[str, Any]) -> Specs:
    """Return the specs of the module's parameters; raises AclError with all errors."""
    errors: list[str] = []

    def read(items: Iterable[Mapping[str, Any]]) -> frozenset[Acl]:
        found = set()
        for item in items:
            try:
                found.add(parse_acl(item))
            except AclError as error:
                errors.extend(error.messages)
        return frozenset(found)

    acls, absent = read(params.get("acls") or ()), read(params.get("absent") or ())
    principals = frozenset(params.get("absent_principals") or ())
    errors += [f"{acl}: is declared and under absent" for acl in sorted(acls & absent)]
    errors += [
        f"{acl}: is declared, and {acl.principal} is under absent_principals"
        for acl in sorted(acls)
        if acl.principal in principals
    ]
    if errors:
        raise AclError(errors)
    return Specs(acls, absent, principals)


def plan(current: Collection[Acl], specs: Specs) -> list[Step]:
    """Return the steps from ``current`` to ``specs``, new ACLs first so that access is not lost."""
    existing = set(current)
    obsolete = {
        acl for acl in existing if acl in specs.absent or acl.principal in specs.absent_principals
    }
    return [
        *(Grant(acl) for acl in sorted(specs.acls - existing)),
        *(Revoke(acl) for acl in sorted(obsolete)),
    ]


def undeclared_acls(current: Iterable[Acl], specs: Specs) -> list[Acl]:
    """Return the undeclared ACLs of declared principals that are not to be deleted."""
    declared = {acl.principal for acl in specs.acls}
    return sorted(
        acl
        for acl in current
        if acl.principal in declared and acl not in specs.acls and acl not in specs.absent
    )


def split_into_requests(acls: Iterable[Acl]) -> Iterator[list[Acl]]:
    """Yield the ACLs of one request each, sorted by resource."""
    rest = sorted(acls, key=lambda acl: (acl.resource_type, acl.pattern, acl.resource, acl))
    for start in range(0, len(rest), PER_REQUEST):
        yield rest[start : start + PER_REQUEST]


def carry_out(store: Store, steps: Sequence[Step]) -> None:
    """Apply all steps; raises one AclError with every blocker."""
    grants = [step.acl for step in steps if isinstance(step, Grant)]
    revokes = [step.acl for step in steps if isinstance(step, Revoke)]
    refused = store.create_acls(grants) if grants else {}
    # Old ACLs are deleted only when all new ones exist, so that no principal loses access.
    if not refused and revokes:
        refused = store.delete_acls(revokes)
    if refused:
        blockers = [(step, refused[step.acl]) for step in steps if step.acl in refused]
        raise AclError([f"{step}: {reason}" for step, reason in blockers])


def converge(store: Store, specs: Specs, dry: bool) -> tuple[list[Step], list[Acl]]:
    """Apply ``specs`` to ``store``; return the steps and foreign ACLs; raises AclError."""
    current = store.read_acls()
    steps = plan(current, specs)
    if not dry:
        carry_out(store, steps)
    return steps, undeclared_acls(current, specs)


def difference(steps: Iterable[Step]) -> dict[str, str]:
    """Return the changed ACLs before and after ``steps``, one per line, for ``--diff``."""
    steps = list(steps)
    return {
        "before": "".join(f"{step.acl}\n" for step in steps if isinstance(step, Revoke)),
        "after": "".join(f"{step.acl}\n" for step in steps if isinstance(step, Grant)),
    }
