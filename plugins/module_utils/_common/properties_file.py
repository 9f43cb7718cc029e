# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Java properties files, written so that ``java.util.Properties`` reads back the same values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

CONTROLS = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}


class PropertyError(ValueError):
    """A value cannot be written to a properties file; the text names the key."""


def as_text(key: str, value: Any) -> str:
    """Return ``value`` in the form Kafka reads: booleans in lower case, lists joined by commas.

    Raises PropertyError for a nested value.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(as_text(key, item) for item in value)
    if isinstance(value, (str, int, float)):
        return str(value)
    kind = "a mapping" if isinstance(value, Mapping) else f"of type {type(value).__name__}"
    raise PropertyError(f"{key}: the value is {kind}; a property is text, a number or a list")


def escape(text: str) -> str:
    """Return ``text`` with control and non-ASCII characters escaped; the file is Latin-1."""
    out = []
    for char in text:
        if char in CONTROLS:
            out.append(CONTROLS[char])
        elif " " <= char <= "~":
            out.append(char)
        else:
            units = char.encode("utf-16-be")
            out += [f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2)]
    return "".join(out)


def escape_key(key: str) -> str:
    """Return ``key`` with a backslash before characters that end a key or start a comment."""
    return "".join(f"\\{char}" if char in " :=#!" else char for char in escape(key))


def escape_value(value: str) -> str:
    """Return ``value`` with a leading space escaped, which the reader would drop."""
    escaped = escape(value)
    return f"\\{escaped}" if escaped.startswith(" ") else escaped


def to_properties(values: Mapping[str, Any]) -> str:
    """Return the lines ``key=value`` of ``values``, sorted by key, each ended by a line feed.

    A key whose value is None is left out, which is how a variable removes a default.
    Raises PropertyError when a value cannot be written.
    """
    if not isinstance(values, Mapping):
        raise PropertyError("properties must be a mapping of key to value")
    lines = []
    for key in sorted(values, key=str):
        if values[key] is not None:
            value = as_text(str(key), values[key])
            lines.append(f"{escape_key(str(key))}={escape_value(value)}\n")
    return "".join(lines)


SPACES = " \t\f"
NAMED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
# A key ends at the first separator without a backslash before it.
KEY = re.compile(r"(?:\\.|[^\\ \t\f:=])*", re.DOTALL)


def unescape(text: str) -> str:
    """Return ``text`` with its escapes resolved as ``java.util.Properties`` resolves them."""

    def char(found: re.Match[str]) -> str:
        escaped = found[1]
        return chr(int(escaped[1:], 16)) if len(escaped) > 1 else NAMED.get(escaped, escaped)

    plain = ESCAPED.sub(char, text)
    # Joins surrogate pairs of UTF-16.
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def logical_lines(text: str) -> Iterator[str]:
    """Lines with a key; a line that ends in a backslash is joined with the next."""
    pending = ""
    for line in re.split(r"\r\n|\r|\n", text):
        stripped = line.lstrip(SPACES)
        if not pending and (not stripped or stripped[0] in "#!"):
            continue
        whole = pending + stripped
        slashes = len(whole) - len(whole.rstrip("\\"))
        pending = whole[:-1] if slashes % 2 else ""
        if not pending:
            yield whole
    if pending:
        yield pending


def from_properties(text: str) -> dict[str, str]:
    """Return keys and values of a properties file; the last value of a repeated key."""
    found = {}
    for line in logical_lines(text):
        key = KEY.match(line)
        end = key.end() if key else 0
        value = line[end:].lstrip(SPACES)
        if value[:1] in ("=", ":"):
            value = value[1:].lstrip(SPACES)
        found[unescape(line[:end])] = unescape(value)
    return found
