# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Equal problems of several instances or machines as one, which names all of them; no I/O."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from .kafka_problems import SERVICE
from .messages import shorten_list
from .platform_problem import Problem


def key(problem: Problem, machines: Mapping[str, str], services: Mapping[str, str]) -> object:
    """Return a key that equal problems of two instances of a service, or of two machines, share.

    ``machines`` and ``services`` are by instance. Texts may differ in the name of the instance or
    machine, and in the id of the broker. A problem at another place is equal only to itself.
    """
    where = problem.where
    machine = machines.get(where, "")
    if not machine and where not in machines.values():
        return problem
    names = [where, machine, f"broker {where.removeprefix(SERVICE)}"]
    pattern = "|".join(re.escape(each) for each in names if each)
    text, command = (
        re.sub(rf"(?<![\w-])(?:{pattern})(?![\w-])", "*", each)
        for each in (problem.text, problem.help)
    )
    service = services.get(where, "")
    return problem.kind, service, problem.level, problem.read, problem.affects, text, command


def as_one(problems: Sequence[Problem]) -> Problem:
    """Return equal problems as one at the first place, whose text names the others."""
    first, *others = problems
    if not others:
        return first
    return replace(
        first,
        text=f"{first.text}; also {shorten_list([each.where for each in others])}",
        since=min((each.since for each in problems if each.since), default=0.0),
        alerts=tuple(dict.fromkeys(name for each in problems for name in each.alerts)),
        same=tuple(problems),
    )
