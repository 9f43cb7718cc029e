# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Java properties files, written so that ``java.util.Properties`` reads back the same values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

CONTROLS = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}


class PropertyError(ValueError):
    """A value has no form in a properties file; names the key."""


def as_text(key: str, value: Any) -> str:
    """``value`` in the form Kafka reads: booleans in lower case, lists joined by commas.

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
    """``text`` with what the reader would take for something else; the file is Latin-1."""
    out = []
    for sign in text:
        if sign in CONTROLS:
            out.append(CONTROLS[sign])
        elif " " <= sign <= "~":
            out.append(sign)
        else:
            units = sign.encode("utf-16-be")
            out += [f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2)]
    return "".join(out)


def escape_key(key: str) -> str:
    """``key`` with the signs that would end it or begin a comment behind a backslash."""
    return "".join(f"\\{sign}" if sign in " :=#!" else sign for sign in escape(key))


def escape_value(value: str) -> str:
    """``value`` with its first space, which the reader would drop, behind a backslash."""
    escaped = escape(value)
    return f"\\{escaped}" if escaped.startswith(" ") else escaped


def to_properties(values: Mapping[str, Any]) -> str:
    """The lines ``key=value`` of ``values``, sorted by key, each ended by a line feed.

    A key whose value is None is left out, which is how a variable takes back a default.
    Raises PropertyError when a value cannot be written.
    """
    if not isinstance(values, Mapping):
        raise PropertyError("properties are given as a mapping of key to value")
    lines = []
    for key in sorted(values, key=str):
        if values[key] is not None:
            value = as_text(str(key), values[key])
            lines.append(f"{escape_key(str(key))}={escape_value(value)}\n")
    return "".join(lines)


LINE = re.compile(r"\s*((?:\\.|[^\\:=\s])*)[ \t\f]*[:=]?[ \t\f]*(.*)", re.DOTALL)
ESCAPED = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
MEANING = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}


def unescape(text: str) -> str:
    """``text`` as the reader takes it: what stands behind a backslash has a meaning of its own."""

    def meant(found: re.Match[str]) -> str:
        sign = found.group(1)
        if len(sign) == 5:
            return chr(int(sign[1:], 16))
        return MEANING.get(sign, sign)

    # Two halves of one sign stand as two escapes.
    whole = ESCAPED.sub(meant, text).encode("utf-16", "surrogatepass")
    return whole.decode("utf-16", "replace")


def from_properties(text: str) -> dict[str, str]:
    """Keys and values of a properties file as ``java.util.Properties`` reads them.

    The last of several lines for a key counts.
    """
    found: dict[str, str] = {}
    # A backslash before the end of a line joins it to the next, whose leading blanks do not count.
    joined = re.sub(r"(?<!\\)((?:\\\\)*)\\\r?\n[ \t\f]*", r"\1", text)
    for line in re.split(r"\r?\n", joined):
        if line.strip() and line.lstrip()[0] not in "#!":
            match = LINE.fullmatch(line)
            assert match is not None  # The pattern takes any text.
            found[unescape(match.group(1))] = unescape(match.group(2))
    return found
