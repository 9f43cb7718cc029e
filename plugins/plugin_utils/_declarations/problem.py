# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What a check has to say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Problem:
    """One blocker: where it is, what was found there and what is allowed instead.

    ``host`` is an inventory host or group, ``where`` a variable (with the path inside it) or a
    file. A problem that is not ``fatal`` is a note: something could not be checked, or works and
    would better be otherwise. ``check`` is the name of the check that says so; ``accepted`` is a
    problem that would be fatal if the operator had not accepted it.
    """

    host: str
    where: str
    found: str
    allowed: str
    fatal: bool = True
    check: str = ""
    accepted: bool = False

    def __str__(self) -> str:
        """One line for the operator."""
        if not self.fatal and not self.allowed:
            return f"{self.host}: {self.where}: not checked: {self.found}"
        spec = "allowed" if self.fatal or self.accepted else "wanted"
        return f"{self.host}: {self.where}: found {self.found}; {spec}: {self.allowed}"


def note(host: str, where: str, reason: str) -> Problem:
    """Says that something could not be checked, and why; it does not stop the run."""
    return Problem(host, where, reason, "", fatal=False)


def advice(host: str, where: str, found: str, wanted: str) -> Problem:
    """Says what works and would better be otherwise; it does not stop the run."""
    return Problem(host, where, found, wanted, fatal=False)


def listed(names: Iterable[str]) -> str:
    """Names as part of a sentence, in order."""
    return ", ".join(sorted(names))
