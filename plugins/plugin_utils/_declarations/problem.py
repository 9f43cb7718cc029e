# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Problems that checks report."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_MESSAGE = re.compile(r"(.+?): found (.+?); (?:allowed|required): (.+)", re.DOTALL)


@dataclass(frozen=True, order=True)
class Problem:
    """One problem: its place, the value found there and the allowed value.

    ``host`` is an inventory host or group, ``where`` a variable (with the path inside it) or a
    file. A problem that is not ``fatal`` is a note: a value could not be checked, or it works but
    could be better. ``check`` is the name of the check; ``accepted`` marks a problem that would be
    fatal if the operator had not accepted it.
    """

    host: str
    where: str
    found: str
    allowed: str
    fatal: bool = True
    check: str = ""
    accepted: bool = False

    def __str__(self) -> str:
        """Return one line for the operator."""
        if not self.fatal and not self.allowed:
            return f"{self.host}: {self.where}: not checked: {self.found}"
        label = "allowed" if self.fatal or self.accepted else "recommended"
        return f"{self.host}: {self.where}: found {self.found}; {label}: {self.allowed}"


def note(host: str, where: str, reason: str) -> Problem:
    """A note that a value could not be checked, with the reason; it does not stop the run."""
    return Problem(host, where, reason, "", fatal=False)


def advice(host: str, where: str, found: str, recommended: str) -> Problem:
    """A note on a value that works but could be better; it does not stop the run."""
    return Problem(host, where, found, recommended, fatal=False)


def problem_from_message(host: str, message: str, variable: str) -> Problem:
    """The problem in an error of the form ``WHERE: found FOUND; allowed: ALLOWED``.

    An error of another form, such as of a damaged file, is the value found in ``variable``.
    """
    parts = _MESSAGE.fullmatch(message)
    if parts is None:
        return Problem(host, variable, message, "a value without this error")
    where, found, allowed = parts.groups()
    return Problem(host, where, found, allowed)


def join_names(names: Iterable[str]) -> str:
    """Sorted names, separated by commas."""
    return ", ".join(sorted(names))
