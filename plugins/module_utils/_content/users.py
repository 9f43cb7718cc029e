# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Plan changes of SCRAM users from the current to the desired state; no I/O.

Kafka does not return passwords or hashes. A login shows whether the desired password is effective.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from .._kafka.scram import (
    ACCEPTED,
    ITERATIONS,
    MECHANISMS,
    REFUSED,
    Key,
    ScramError,
    Secret,
    parse_secret,
)
from .._problems.messages import shorten_list
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

NOT_PROVIDED = "its password is not provided"
UPDATES = (ON_CHANGE, ON_CREATE, ALWAYS)


def parse_specs(params: Mapping[str, Any]) -> Specs:
    """Return the specs of the module's parameters; raises UserError with all errors.

    No message contains a password.
    """
    errors: list[str] = []
    specs = []
    for name, value in sorted((params.get("users") or {}).items()):
        declaration = value or {}
        mechanisms = tuple(declaration.get("mechanisms") or (MECHANISMS[0],))
        iterations = declaration.get("iterations") or Spec.iterations
        errors += [
            f"user {name}: mechanism {each}; allowed: {', '.join(MECHANISMS)}"
            for each in mechanisms
            if each not in MECHANISMS
        ]
        low, high = ITERATIONS
        if not str(iterations).isdecimal() or not low <= int(iterations) <= high:
            errors.append(f"user {name}: iterations {iterations}; allowed: {low} to {high}")
            continue
        specs.append(Spec(str(name), mechanisms, int(iterations)))
    declared = {str(name) for name in params.get("users") or {}}
    secrets: dict[str, Secret] = {}
    for option in ("passwords", "credentials"):
        for name, value in sorted((params.get(option) or {}).items()):
            if name in secrets:
                errors.append(f"user {name}: is in both passwords and credentials")
            try:
                secrets[name] = parse_secret(str(name), value, hashed=option == "credentials")
            except ScramError as error:
                errors.append(f"{option}: user {name}: {error}")
    absent = tuple(sorted(params.get("absent") or ()))
    errors += [f"user {each}: is declared and under absent" for each in absent if each in declared]
    if errors:
        raise UserError(errors)
    update = params.get("update_password") or ON_CHANGE
    # The passwords may also contain those of users that are declared elsewhere.
    known = {name: secret for name, secret in secrets.items() if name in declared}
    return Specs(tuple(specs), known, absent, update)


def credentials_to_check(current: Current, specs: Specs) -> dict[Key, Secret]:
    """Return the existing credentials as declared, of which only the password may differ."""
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
    """Return the steps and the unverified users; raises UserError for missing passwords.

    A password that could not be checked is taken as correct, and its user is unverified.
    """
    steps: list[Step] = []
    errors: list[str] = []
    unverified: dict[str, str] = {}
    foreign: list[str] = []
    for spec in specs.users:
        existing = current.get(spec.name, {})
        secret = specs.secrets.get(spec.name)
        foreign += [
            f"{spec.name}: {each}"
            for each in sorted(set(existing) - set(spec.mechanisms))
            if Key(spec.name, each) not in specs.withdrawn
        ]
        for mechanism in spec.mechanisms:
            key, known = Key(spec.name, mechanism), secret and secret.serves(mechanism)
            count = secret.iterations(mechanism, spec.iterations) if secret else spec.iterations
            found, reason = existing.get(mechanism), ""
            if found is None:
                reason = f"new, {count} iterations"
            elif found != count:
                reason = f"iterations {found} -> {count}"
            if reason and not known:
                errors.append(f"user {spec.name}: {mechanism}: {reason}: {NOT_PROVIDED}")
                continue
            if not known:
                unverified[spec.name] = NOT_PROVIDED
                continue
            result = results.get(key, "")
            if not reason and specs.update == ALWAYS:
                reason = "the password is set in every run"
            elif not reason and result == REFUSED:
                reason = "the password differs"
            elif not reason and specs.update == ON_CHANGE and result != ACCEPTED:
                unverified[spec.name] = result or "no listener to check it at is provided"
            if reason:
                steps.append(Put(key, count, reason))
    for name in specs.absent:
        steps += [Remove(Key(name, each)) for each in sorted(current.get(name, {}))]
    steps += [
        Remove(key)
        for key in specs.withdrawn
        if key.user not in specs.absent and key.mechanism in current.get(key.user, {})
    ]
    if errors:
        raise UserError(errors)
    return Outcome(tuple(steps), unverified, tuple(foreign))


def carry_out(store: Store, steps: Sequence[Step], secrets: Mapping[str, Secret]) -> None:
    """Apply all steps; raises one UserError with every blocker."""
    refused = store.alter_users(steps, secrets) if steps else {}
    if refused:
        blockers = [step for step in steps if step.key.user in refused]
        raise UserError([f"{step}: {refused[step.key.user]}" for step in blockers])


def converge(store: Store, specs: Specs, dry: bool) -> Outcome:
    """Apply ``specs`` to ``store``; return the outcome; raises UserError."""
    current = store.read_users()
    secrets = credentials_to_check(current, specs)
    outcome = plan(current, specs, store.check_passwords(secrets) if secrets else {})
    if not dry:
        carry_out(store, outcome.steps, specs.secrets)
    return outcome


def split_into_requests(steps: Sequence[Step], size: int) -> list[list[Step]]:
    """Return the steps of one request each; all credentials of a user are in the same one."""
    groups: list[list[Step]] = []
    last = ""
    for step in sorted(steps, key=lambda step: step.key):
        if not groups or (len(groups[-1]) >= size and step.key.user != last):
            groups.append([])
        groups[-1].append(step)
        last = step.key.user
    return groups


def unverified_warnings(unverified: Mapping[str, str]) -> list[str]:
    """Return messages on provided passwords that could not be checked, one per reason."""
    users: dict[str, list[str]] = {}
    for name, reason in sorted(unverified.items()):
        if reason != NOT_PROVIDED:
            users.setdefault(reason, []).append(name)
    return [
        f"passwords could not be checked and are not changed: {reason}: {shorten_list(names)}"
        for reason, names in users.items()
    ]


def difference(steps: Iterable[Step], current: Collection[str] = ()) -> dict[str, dict[str, Any]]:
    """Return the changed users before and after ``steps``, for ``--diff``; never a password."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for step in steps:
        name = f"{step.key.user}: {step.key.mechanism}"
        if isinstance(step, Remove):
            before[name] = "a credential"
        else:
            after[name] = step.reason
    return {"before": before, "after": after}
