# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Users that log in with SCRAM: current state, desired state and the steps between; no I/O.

Kafka never tells a password. Whether the desired one is in force is known by trying to log in with
it, which gives a Result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from .._common.messages import some
from .._kafka.scram import (
    ACCEPTED,
    ITERATIONS,
    MECHANISMS,
    REFUSED,
    Key,
    ScramError,
    Secret,
    secret_of,
)
from .user_model import (
    ALWAYS,
    ON_CHANGE,
    ON_CREATE,
    Current,
    Outcome,
    Put,
    Remove,
    Spec,
    Specs,
    Step,
    Store,
    UserError,
)

NOT_GIVEN = "its password is not given"
UPDATES = (ON_CHANGE, ON_CREATE, ALWAYS)


def specs_of(params: Mapping[str, Any]) -> Specs:
    """Specs from the parameters of the module; raises UserError with everything wrong.

    No sentence holds a password.
    """
    wrong: list[str] = []
    specs = []
    for name, said in sorted((params.get("users") or {}).items()):
        given = said or {}
        mechanisms = tuple(given.get("mechanisms") or (MECHANISMS[0],))
        iterations = given.get("iterations") or Spec.iterations
        wrong += [
            f"user {name}: mechanism {each}; allowed: {', '.join(MECHANISMS)}"
            for each in mechanisms
            if each not in MECHANISMS
        ]
        low, high = ITERATIONS
        if not str(iterations).isdecimal() or not low <= int(iterations) <= high:
            wrong.append(f"user {name}: iterations {iterations}; allowed: {low} to {high}")
            continue
        specs.append(Spec(str(name), mechanisms, int(iterations)))
    declared = {str(name) for name in params.get("users") or {}}
    secrets: dict[str, Secret] = {}
    for option in ("passwords", "credentials"):
        for name, value in sorted((params.get(option) or {}).items()):
            if name in secrets:
                wrong.append(f"user {name}: stands in passwords and in credentials")
            try:
                secrets[name] = secret_of(str(name), value, hashed=option == "credentials")
            except ScramError as error:
                wrong.append(f"{option}: user {name}: {error}")
    absent = tuple(sorted(params.get("absent") or ()))
    wrong += [f"user {each}: is declared and under absent" for each in absent if each in declared]
    if wrong:
        raise UserError(wrong)
    update = params.get("update_password") or ON_CHANGE
    # Passwords of users that are not declared here serve somebody else.
    known = {name: secret for name, secret in secrets.items() if name in declared}
    return Specs(tuple(specs), known, absent, update)


def to_try(current: Current, specs: Specs) -> dict[Key, Secret]:
    """Credentials that are there as declared, where only the password may be another."""
    if specs.update != ON_CHANGE:
        return {}
    counts = {spec.name: spec.iterations for spec in specs.users}
    return {
        key: specs.secrets[key.user]
        for key in specs.credentials()
        if current.get(key.user, {}).get(key.mechanism)
        == specs.secrets[key.user].iterations(key.mechanism, counts[key.user])
    }


def plan(current: Current, specs: Specs, results: Mapping[Key, str]) -> Outcome:
    """What is to be done; raises UserError with every spec that lacks a password.

    A password that could not be tried is taken for the right one, and its user is told.
    """
    steps: list[Step] = []
    wrong: list[str] = []
    unverified: dict[str, str] = {}
    foreign: list[str] = []
    for spec in specs.users:
        there = current.get(spec.name, {})
        secret = specs.secrets.get(spec.name)
        foreign += [
            f"{spec.name}: {each}"
            for each in sorted(set(there) - set(spec.mechanisms))
            if Key(spec.name, each) not in specs.withdrawn
        ]
        for mechanism in spec.mechanisms:
            key, known = Key(spec.name, mechanism), secret and secret.serves(mechanism)
            count = secret.iterations(mechanism, spec.iterations) if secret else spec.iterations
            found, reason = there.get(mechanism), ""
            if found is None:
                reason = f"new, {count} iterations"
            elif found != count:
                reason = f"iterations {found} -> {count}"
            if reason and not known:
                wrong.append(f"user {spec.name}: {mechanism}: {reason}: {NOT_GIVEN}")
                continue
            if not known:
                unverified[spec.name] = NOT_GIVEN
                continue
            result = results.get(key, "")
            if not reason and specs.update == ALWAYS:
                reason = "the password is set, as it always is"
            elif not reason and result == REFUSED:
                reason = "the password is another"
            elif not reason and specs.update == ON_CHANGE and result != ACCEPTED:
                unverified[spec.name] = result or "no listener to try it at is given"
            if reason:
                steps.append(Put(key, count, reason))
    for name in specs.absent:
        steps += [Remove(Key(name, each)) for each in sorted(current.get(name, {}))]
    steps += [
        Remove(key)
        for key in specs.withdrawn
        if key.user not in specs.absent and key.mechanism in current.get(key.user, {})
    ]
    if wrong:
        raise UserError(wrong)
    return Outcome(tuple(steps), unverified, tuple(foreign))


def carry_out(store: Store, steps: Sequence[Step], secrets: Mapping[str, Secret]) -> None:
    """Do the steps; raises UserError with every blocker, whatever became of the others."""
    refused = store.alter_users(steps, secrets) if steps else {}
    if refused:
        blockers = [step for step in steps if step.key.user in refused]
        raise UserError([f"{step}: {refused[step.key.user]}" for step in blockers])


def converge(store: Store, specs: Specs, dry: bool) -> Outcome:
    """Bring the users of ``store`` to ``specs``; tells what was done; raises UserError."""
    current = store.read_users()
    asked = to_try(current, specs)
    outcome = plan(current, specs, store.try_users(asked) if asked else {})
    if not dry:
        carry_out(store, outcome.steps, specs.secrets)
    return outcome


def portions(steps: Sequence[Step], size: int) -> list[list[Step]]:
    """Steps in groups for one request each; both credentials of a user go together."""
    groups: list[list[Step]] = []
    last = ""
    for step in sorted(steps, key=lambda step: step.key):
        if not groups or (len(groups[-1]) >= size and step.key.user != last):
            groups.append([])
        groups[-1].append(step)
        last = step.key.user
    return groups


def doubts(unverified: Mapping[str, str]) -> list[str]:
    """Messages on passwords that were given and could not be tried, one for each reason."""
    users: dict[str, list[str]] = {}
    for name, reason in sorted(unverified.items()):
        if reason != NOT_GIVEN:
            users.setdefault(reason, []).append(name)
    return [
        f"whether passwords have changed is not known, and they are left as they are: "
        f"{reason}: {some(names)}"
        for reason, names in users.items()
    ]


def difference(steps: Iterable[Step], current: Collection[str] = ()) -> dict[str, dict[str, Any]]:
    """Before and after of the users that ``steps`` touch, for ``--diff``; never a password."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for step in steps:
        name = f"{step.key.user}: {step.key.mechanism}"
        if isinstance(step, Remove):
            before[name] = "a credential"
        else:
            after[name] = step.reason
    return {"before": before, "after": after}
