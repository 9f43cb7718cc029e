# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What is wanted of a host, and what was found there."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

EXACTLY = "exactly"
AT_LEAST = "at_least"

# The same value, or at least as good a one, is there, persisted and live.
OK = "ok"
# It was not, and is now (or would be, in check mode).
CHANGED = "changed"
# It is not, and nobody has done anything about it.
DRIFT = "drift"
# The system refuses: a container or a virtual machine, most of the time.
NOT_ALLOWED = "not_allowed"
# The kernel or the machine has no such thing.
ABSENT = "absent"


@dataclass(frozen=True)
class Spec:
    """One setting as the inventory wants it; ``percent_of_memory`` bounds a number of bytes."""

    name: str
    value: str
    rule: str = EXACTLY
    reason: str = ""
    percent_of_memory: int = 0


@dataclass
class Row:
    """One setting as it was found.

    ``persisted_ok`` says that the next boot brings what is wanted, ``written`` that our own files
    say so (another file may still win over them). ``refused`` is why the live value cannot be set,
    ``apply`` how it is; None for what is only looked at.
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
        """Nothing is left to spec."""
        return self.persisted_ok and (self.live_ok or self.absent)

    def to_apply(self) -> bool:
        """Whether the live value is wrong and may be set."""
        return not (self.live_ok or self.absent or self.refused) and self.apply is not None


@dataclass
class Look:
    """What one kind of setting found: rows, and by path the text our files should have.

    A file whose text is None should not be there.
    """

    rows: list[Row] = field(default_factory=list)
    files: dict[str, str | None] = field(default_factory=dict)


def meets(value: str | None, wanted: str, rule: str) -> bool:
    """Whether ``value`` is what is wanted; several numbers are compared one by one."""
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


def plain(value: Any) -> str:
    """A value of the inventory as the kernel writes it: switches as 1 and 0, one space between."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return " ".join(plain(item) for item in value)
    return " ".join(str(value).split())


def comment(reason: str) -> str:
    """A reason as lines of a comment."""
    return "".join(f"# {line}\n" for line in textwrap.wrap(reason, 96))
