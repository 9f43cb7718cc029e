# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Desired settings of a host, and the settings found there."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

EXACTLY = "exactly"
AT_LEAST = "at_least"

# Persisted and live values meet the spec.
OK = "ok"
# The value was changed, or would be in check mode.
CHANGED = "changed"
# The value does not meet the spec and was not changed.
DRIFT = "drift"
# The system rejects the change, mostly in containers and virtual machines.
NOT_ALLOWED = "not_allowed"
# The kernel or the machine does not have this setting.
ABSENT = "absent"


@dataclass(frozen=True)
class Spec:
    """One desired setting; ``percent_of_memory`` bounds a number of bytes."""

    name: str
    value: str
    rule: str = EXACTLY
    reason: str = ""
    percent_of_memory: int = 0


@dataclass
class Row:
    """One setting as it was found.

    ``persisted_ok``: the next boot sets the desired value. ``written``: kafka-metal's own file has
    it, although another file may override it. ``refused``: why the live value cannot be set.
    ``apply``: sets it; None for settings that are only reported.
    """

    name: str
    wanted: str
    persisted: str
    live: str
    reason: str = ""
    persisted_ok: bool = True
    written: bool = True
    live_ok: bool = True
    absent: bool = False
    refused: str = ""
    detail: str = ""
    apply: Callable[[], None] | None = None

    @property
    def good(self) -> bool:
        """Whether the setting meets its spec."""
        return self.persisted_ok and (self.live_ok or self.absent)

    def to_apply(self) -> bool:
        """Whether the live value is wrong and may be set."""
        return not (self.live_ok or self.absent or self.refused) and self.apply is not None


@dataclass
class Findings:
    """Rows of one kind of setting, and the desired text of kafka-metal's files by path.

    A file whose text is None should not exist.
    """

    rows: list[Row] = field(default_factory=list)
    files: dict[str, str | None] = field(default_factory=dict)


def satisfies(value: str | None, wanted: str, rule: str) -> bool:
    """Whether ``value`` meets the rule; several numbers are compared one by one."""
    if value is None:
        return False
    found, spec = value.split(), wanted.split()
    if rule != AT_LEAST:
        return found == spec
    try:
        numbers, least = [*map(int, found)], [*map(int, spec)]
    except ValueError:
        return found == spec
    return len(numbers) == len(least) and all(n >= least[i] for i, n in enumerate(numbers))


def kernel_text(value: Any) -> str:
    """Return an inventory value in the kernel's form: booleans as 1 and 0, lists with spaces."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return " ".join(kernel_text(item) for item in value)
    return " ".join(str(value).split())


def comment(reason: str) -> str:
    """Return a reason as comment lines."""
    return "".join(f"# {line}\n" for line in textwrap.wrap(reason, 96))
