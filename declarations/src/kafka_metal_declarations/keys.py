"""Reading of a mapping key by key; each error has what was found and what is allowed."""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kafka_metal_declarations.printable_values import format_value, printable_value

ALLOWED_KEY = "a text; in quotes where YAML reads another value, as 'yes', 'null' or '1'"
# The largest signed 64-bit integer.
HIGHEST_NUMBER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a declaration; ``key`` is the path of the key, as ``outputs.fraud.topic``."""

    pipeline: str
    key: str
    found: str
    allowed: str

    def __str__(self) -> str:
        """Return one message for an operator."""
        return f"pipeline {self.pipeline}: {self.key}: found {self.found}; allowed: {self.allowed}"


class DeclarationError(ValueError):
    """A declaration that cannot run; ``problems`` has every mistake."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        """Keep the problems; the message is one line each."""
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


def most_similar_first(found: object, allowed: Sequence[str]) -> str:
    """Return the allowed values, the one most similar to ``found`` first."""
    close = difflib.get_close_matches(str(found), allowed, 1)
    hint = f"{close[0]} (did you mean that?), of " if close else ""
    return hint + ", ".join(allowed)


@dataclass
class Section:
    """A mapping at ``path``; errors are added to ``problems``, which all sections share."""

    pipeline: str
    path: str
    values: Mapping[str, Any]
    problems: list[Problem] = field(default_factory=list)

    def at(self, key: str) -> str:
        """Return the path of a key from the top of the pipeline."""
        return f"{self.path}.{key}" if self.path else key

    def wrong(self, key: str, found: object, allowed: str) -> None:
        """Add a mistake; ``found`` is the value, or a text about it."""
        self.problems.append(Problem(self.pipeline, self.at(key), format_value(found), allowed))

    def names(self) -> list[str]:
        """Return user-chosen keys, which have to be texts; ``yes:`` is True in YAML."""
        for key in self.values:
            if not isinstance(key, str):
                self.wrong(format_value(key), f"the key {format_value(key)}", ALLOWED_KEY)
        return [key for key in self.values if isinstance(key, str)]

    def only(self, known: Iterable[str], silent: Iterable[str] = ()) -> None:
        """Refuse unknown keys and suggest a similar known one; ``silent`` keys are not listed."""
        known, silent = sorted(known), set(silent)
        for key in self.values:
            if key not in known and key not in silent:
                self.wrong(
                    format_value(key),
                    "an unknown key",
                    most_similar_first(format_value(key), known),
                )

    def section(self, key: str, required: bool = False) -> "Section":
        """Return the mapping at ``key``; an empty section if there is none."""
        values = self.values.get(key)
        if values is None and not required:
            values = {}
        if not isinstance(values, Mapping):
            found = "nothing" if values is None else printable_value(key, values)
            self.wrong(key, found, "a mapping")
            # A separate list of problems: its missing keys need no further messages.
            return Section(self.pipeline, self.at(key), {}, [])
        return Section(self.pipeline, self.at(key), values, self.problems)

    def text(self, key: str, allowed: str = "text", pattern: str = r".*\S.*") -> str | None:
        """Return the text at ``key``, which has to match in full; None if there is none."""
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, str) or not re.fullmatch(pattern, value, re.DOTALL):
            self.wrong(key, format_value(value), allowed)
            return None
        return value

    def needed(self, key: str, allowed: str = "text", pattern: str = r".*\S.*") -> str:
        """Return the text at ``key``, which is required; empty if it is wrong or missing."""
        if self.values.get(key) is None:
            self.wrong(key, "nothing", allowed)
            return ""
        return self.text(key, allowed, pattern) or ""

    def choice(self, key: str, options: Iterable[str], default: str) -> str:
        """Return the value at ``key``, which has to be one of ``options``."""
        options = tuple(options)
        value = self.values.get(key, default)
        if value not in options:
            self.wrong(key, value, most_similar_first(format_value(value), options))
            return default
        return str(value)

    def whole(self, key: str, low: int = 1, high: int = 2**31 - 1) -> int | None:
        """Return the whole number at ``key``, within a range; None if there is none."""
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.wrong(
                key,
                repr(value) if isinstance(value, str) else value,
                f"a whole number from {low} to {high}",
            )
            return None
        return value

    def texts(self, key: str, allowed: str, pattern: str = r".*\S.*") -> tuple[str, ...]:
        """Return the list of texts at ``key``; empty if there is none."""
        values = self.values.get(key)
        if values is None:
            return ()
        if not isinstance(values, list | tuple) or not all(
            isinstance(value, str) and re.fullmatch(pattern, value) for value in values
        ):
            self.wrong(key, values, f"a list, each {allowed}")
            return ()
        return tuple(values)

    def options(self, key: str) -> dict[str, str]:
        """Return client options as text; booleans in lower case."""
        section = self.section(key)
        options: dict[str, str] = {}
        for name in section.names():
            value = section.values[name]
            is_large = isinstance(value, int) and abs(value) > HIGHEST_NUMBER
            if isinstance(value, bool):
                options[name] = str(value).lower()
            elif isinstance(value, str | int | float) and not is_large:
                options[name] = str(value)
            else:
                found = printable_value(name, value)
                section.wrong(name, found, "text, a number of 64 bits, true or false")
        return options
