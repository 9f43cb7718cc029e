# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Preflight's report: problems, notes and a summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._declarations.problem import Problem, join_names
from .acceptance import ACCEPT
from .check_table import ACCEPTABLE


def problem_line(problem: Problem) -> str:
    """Return one line with the name of the check, which metal_preflight_accept takes."""
    return f"{problem} [{problem.check}]" if problem.check else str(problem)


def report(
    problems: Sequence[Problem], checks: int, machines: int, inventory: str = ""
) -> dict[str, Any]:
    """Return lines of ``fatal`` problems and ``notes``, a one-line ``summary``, and ``refusal``.

    ``brief`` is the summary with the command that prints the notes, which most runs repeat.
    Accepted problems come first in the notes, and are marked as accepted.
    """
    accepted = [p for p in problems if p.accepted]
    notes = [p for p in problems if not p.fatal and not p.accepted]
    fatal = [p for p in problems if p.fatal]
    counts = (
        _count(len(fatal), "problem"),
        *([f"{len(accepted)} accepted"] if accepted else []),
        _count(len(notes), "note"),
    )
    summary = f"preflight: {checks} checks {_where(machines)}: " + ", ".join(counts)
    lines = [f"{number}. {problem_line(p)}" for number, p in enumerate(fatal, start=1)]
    return {
        "refusal": "\n".join(
            (
                f"Nothing was touched: {len(fatal)} problem(s) in {inventory}",
                *lines,
                *_acceptance(fatal),
            )
        ),
        "fatal": [problem_line(p) for p in fatal],
        "notes": [f"accepted: {problem_line(p)}" for p in accepted]
        + [problem_line(p) for p in notes],
        "summary": summary,
        "brief": f"{summary} (make preflight)" if accepted or notes else summary,
    }


def _acceptance(fatal: Sequence[Problem]) -> list[str]:
    """Return the line on acceptance, if a site may accept one of the problems."""
    names = {problem.check for problem in fatal} & ACCEPTABLE
    if not names:
        return []
    return [f"If it is right for this site, accept it in {ACCEPT}: {join_names(names)}"]


def _where(machines: int) -> str:
    return f"on {_count(machines, 'machine')}" if machines else "of declarations"


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"
