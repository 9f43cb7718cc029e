# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Problems of quotas that differ from their declaration; no I/O.

Quotas of undeclared users and client ids are not problems. An undeclared quota of a declared user
is one, and so is an undeclared default, because it limits declared users, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._problems.content_problems import KIND, RUNBOOK
from .._problems.kafka_problems import SERVICE
from .._problems.platform_problem import Problem
from .quotas import DEFAULT, Alter, Entity, Specs, format_number, plan


def quota_problems(
    current: Mapping[Entity, Mapping[str, float]],
    specs: Specs,
    users: Mapping[str, Sequence[str]],
) -> list[Problem]:
    """Return the problems of ``current`` quotas; ``users``: by name, instances that use it."""
    found = [_differing(step, users) for step in plan(current, specs)]
    for entity, values in sorted(current.items()):
        undeclared = sorted(values.keys() - specs.quotas.get(entity, {}).keys())
        if undeclared and (entity.user in users or _is_default(entity)):
            texts = [f"quota {key} {format_number(values[key])}" for key in undeclared]
            verb = "is" if len(texts) == 1 else "are"
            text = f"{entity}: {', '.join(texts)} {verb} not declared"
            found.append(_problem(entity, text, users, RUNBOOK))
    return found


def _differing(step: Alter, users: Mapping[str, Sequence[str]]) -> Problem:
    """Return the problem of declared keys that have another value."""
    texts = []
    for key, value in sorted(step.values.items()):
        now = f"is {format_number(step.before[key])}" if key in step.before else "is not set"
        texts.append(f"quota {key} {now}, declared {format_number(value)}")
    return _problem(step.entity, f"{step.entity}: {', '.join(texts)}", users)


def _problem(
    entity: Entity, text: str, users: Mapping[str, Sequence[str]], command: str = ""
) -> Problem:
    """Return a problem at the instance that is the user, or of the whole cluster."""
    own = tuple(users.get(entity.user) or ())
    every = dict.fromkeys(place for places in users.values() for place in places)
    affects = (SERVICE, *every) if _is_default(entity) else own
    return Problem(KIND, own[0] if own else SERVICE, text, command, affects=affects)


def _is_default(entity: Entity) -> bool:
    """Whether a quota is the default of all users, clients or addresses."""
    return entity.user == DEFAULT or {entity.user, entity.client, entity.ip} <= {"", DEFAULT}
