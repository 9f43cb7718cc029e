# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Reader of declarations that collects all faults before it raises an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...module_utils._common.suggestions import did_you_mean, list_allowed
from ...module_utils._common.units import UnitError
from ...module_utils._containers.support.redaction import redact
from .declarations_package import hide_passwords
from .inventory_values import whole_number

SHOWN = 60


@dataclass(frozen=True)
class Fault:
    """One blocker: the path in the declaration, what was found there and what is allowed."""

    where: str
    found: str
    allowed: str

    def __str__(self) -> str:
        """Return the message."""
        return f"{self.where}: found {self.found}; allowed: {self.allowed}"


class DeclarationError(ValueError):
    """A declaration is invalid; the message has all faults."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        """Store the faults and their messages."""
        self.faults = list(faults)
        self.messages = [str(fault) for fault in faults]
        super().__init__("; ".join(self.messages))


def format_value(value: Any) -> str:
    """Shortened text of a value for messages, without what looks like a secret."""
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list"
    if value is None:
        return "nothing"
    text = hide_passwords(redact(repr(value)))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


class Reader:
    """Read values of a declaration and collect faults.

    After a fault, every method returns a usable value, so that one fault does not hide the next.
    ``where`` is the path of a value, such as ``kafka_content_users.alice.roles[0]``.
    """

    def __init__(self) -> None:
        """Start without faults."""
        self.faults: list[Fault] = []

    def refuse(self, where: str, found: str, allowed: str) -> None:
        """Add a fault, unless it is known."""
        fault = Fault(where, found, allowed)
        if fault not in self.faults:
            self.faults.append(fault)

    def finish(self) -> None:
        """Raise DeclarationError if there are faults."""
        if self.faults:
            raise DeclarationError(self.faults)

    def named(self, where: str, value: Any) -> list[tuple[str, str, Any]]:
        """Path, name and value of each entry of a mapping, sorted by name."""
        if value is None:
            return []
        if not isinstance(value, Mapping):
            self.refuse(where, format_value(value), "a mapping by name")
            return []
        return [(f"{where}.{name}", str(name), value[name]) for name in sorted(value, key=str)]

    def listed(self, where: str, value: Any) -> list[tuple[str, Any]]:
        """Path and value of each entry of a list."""
        if value is None:
            return []
        if not isinstance(value, (list, tuple)):
            self.refuse(where, format_value(value), "a list")
            return []
        return [(f"{where}[{number}]", each) for number, each in enumerate(value)]

    def mapping(
        self,
        where: str,
        value: Any,
        keys: Iterable[str],
        required: Iterable[str] = (),
        hints: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Values of ``keys`` in a mapping; ``hints`` are the allowed values for misplaced keys."""
        known = list(keys)
        if not isinstance(value, Mapping):
            self.refuse(where, format_value(value), f"a mapping with keys of {', '.join(known)}")
            return {}
        unknown = sorted(map(str, set(value) - set(known)))
        meant = {did_you_mean(key, known) for key in unknown}
        for key in unknown:
            hint = (hints or {}).get(key)
            self.refuse(f"{where}.{key}", "an unknown key", hint or list_allowed(key, known))
        for key in required:
            if value.get(key) is None and key not in meant:
                self.refuse(f"{where}.{key}", "nothing", "a value: it is required")
        return {key: value[key] for key in known if value.get(key) is not None}

    def choice(self, where: str, value: Any, allowed: Iterable[str]) -> str | None:
        """``value`` in lower case if it is one of ``allowed``."""
        known = list(allowed)
        if isinstance(value, str) and value.lower() in known:
            return value.lower()
        plain = value.lower() if isinstance(value, str) else ""
        self.refuse(where, format_value(value), list_allowed(plain, known))
        return None

    def switch(self, where: str, value: Any) -> bool:
        """A boolean; false for another type."""
        if isinstance(value, bool):
            return value
        self.refuse(where, format_value(value), "true or false")
        return False

    def text(self, where: str, value: Any, pattern: re.Pattern[str], allowed: str) -> str | None:
        """``value`` as text if it is a text or a whole number that matches ``pattern``."""
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            found = str(value)
            if pattern.fullmatch(found):
                return found
        self.refuse(where, format_value(value), allowed)
        return None

    def several(self, where: str, value: Any) -> list[tuple[str, Any]]:
        """Path and value of each entry of a non-empty list, or of a single value."""
        if not isinstance(value, (list, tuple)):
            return [(where, value)]
        if not value:
            self.refuse(where, "an empty list", "at least one entry")
        return self.listed(where, value)

    def number(self, where: str, value: Any, low: int, high: int) -> int | None:
        """A whole number from ``low`` to ``high``."""
        found = whole_number(value)
        if found is None:
            self.refuse(where, format_value(value), f"a whole number from {low} to {high}")
            return None
        if low <= found <= high:
            return found
        self.refuse(where, str(found), f"{low} to {high}")
        return None

    def measured(
        self, where: str, value: Any, read: Callable[[Any], float], allowed: str
    ) -> float | None:
        """A number above 0, parsed by ``read``."""
        try:
            found = read(value)
        except (UnitError, ValueError, TypeError):
            found = 0
        if found > 0:
            return found
        self.refuse(where, format_value(value), allowed)
        return None
