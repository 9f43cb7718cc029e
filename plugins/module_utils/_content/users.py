# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Users that log in with SCRAM: what is, what is wished for, and the steps between; no I/O.

Kafka never tells a password. Whether the wished one is in force is known by trying to log in with
it, which gives a Verdict.
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
    Step,
    Store,
    UserError,
    Wish,
    Wishes,
)

NOT_GIVEN = "its password is not given"
UPDATES = (ON_CHANGE, ON_CREATE, ALWAYS)


def wishes_of(params: Mapping[str, Any]) -> Wishes:
    """Wishes from the parameters of the module; raises UserError with everything wrong.

    No sentence holds a password.
    """
    wrong: list[str] = []
    wishes = []
    for name, said in sorted((params.get("users") or {}).items()):
        given = said or {}
        mechanisms = tuple(given.get("mechanisms") or (MECHANISMS[0],))
        iterations = given.get("iterations") or Wish.iterations
        wrong += [
            f"user {name}: mechanism {each}; allowed: {', '.join(MECHANISMS)}"
            for each in mechanisms
            if each not in MECHANISMS
        ]
        low, high = ITERATIONS
        if not str(iterations).isdecimal() or not low <= int(iterations) <= high:
            wrong.append(f"user {name}: iterations {iterations}; allowed: {low} to {high}")
            continue
        wishes.append(Wish(str(name), mechanisms, int(iterations)))
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
    return Wishes(tuple(wishes), known, absent, update)


def to_try(current: Current, wishes: Wishes) -> dict[Key, Secret]:
    """Credentials that are there as declared, where only the password may be another."""
    if wishes.update != ON_CHANGE:
        return {}
    counts = {wish.name: wish.iterations for wish in wishes.users}
    return {
        key: wishes.secrets[key.user]
        for key in wishes.credentials()
        if current.get(key.user, {}).get(key.mechanism)
        == wishes.secrets[key.user].iterations(key.mechanism, counts[key.user])
    }


def plan(current: Current, wishes: Wishes, verdicts: Mapping[Key, str]) -> Outcome:
    """What is to be done; raises UserError with every wish that lacks a password.

    A password that could not be tried is taken for the right one, and its user is told.
    """
    steps: list[Step] = []
    wrong: list[str] = []
    unverified: dict[str, str] = {}
    foreign: list[str] = []
    for wish in wishes.users:
        there = current.get(wish.name, {})
        secret = wishes.secrets.get(wish.name)
        foreign += [
            f"{wish.name}: {each}"
            for each in sorted(set(there) - set(wish.mechanisms))
            if Key(wish.name, each) not in wishes.withdrawn
        ]
        for mechanism in wish.mechanisms:
            key, known = Key(wish.name, mechanism), secret and secret.serves(mechanism)
            count = secret.iterations(mechanism, wish.iterations) if secret else wish.iterations
            found, reason = there.get(mechanism), ""
            if found is None:
                reason = f"new, {count} iterations"
            elif found != count:
                reason = f"iterations {found} -> {count}"
            if reason and not known:
                wrong.append(f"user {wish.name}: {mechanism}: {reason}: {NOT_GIVEN}")
                continue
            if not known:
                unverified[wish.name] = NOT_GIVEN
                continue
            verdict = verdicts.get(key, "")
            if not reason and wishes.update == ALWAYS:
                reason = "the password is set, as it always is"
            elif not reason and verdict == REFUSED:
                reason = "the password is another"
            elif not reason and wishes.update == ON_CHANGE and verdict != ACCEPTED:
                unverified[wish.name] = verdict or "no listener to try it at is given"
            if reason:
                steps.append(Put(key, count, reason))
    for name in wishes.absent:
        steps += [Remove(Key(name, each)) for each in sorted(current.get(name, {}))]
    steps += [
        Remove(key)
        for key in wishes.withdrawn
        if key.user not in wishes.absent and key.mechanism in current.get(key.user, {})
    ]
    if wrong:
        raise UserError(wrong)
    return Outcome(tuple(steps), unverified, tuple(foreign))


def carry_out(store: Store, steps: Sequence[Step], secrets: Mapping[str, Secret]) -> None:
    """Do the steps; raises UserError with every obstacle, whatever became of the others."""
    refused = store.alter_users(steps, secrets) if steps else {}
    if refused:
        obstacles = [step for step in steps if step.key.user in refused]
        raise UserError([f"{step}: {refused[step.key.user]}" for step in obstacles])


def converge(store: Store, wishes: Wishes, dry: bool) -> Outcome:
    """Bring the users of ``store`` to ``wishes``; tells what was done; raises UserError."""
    current = store.read_users()
    asked = to_try(current, wishes)
    outcome = plan(current, wishes, store.try_users(asked) if asked else {})
    if not dry:
        carry_out(store, outcome.steps, wishes.secrets)
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
    """Sentences on passwords that were given and could not be tried, one for each reason."""
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
