# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Takes secrets out of texts that leave the house."""

from __future__ import annotations

import re
from collections.abc import Iterable

GONE = "<removed>"

# A word that names a secret, in whatever notation its value follows.
_NAMES = "password|passwd|passphrase|secret|token|credential|api[_-]?key|routing[_-]?key"
_WORD = rf"[\w.-]*(?:{_NAMES})[\w.-]*"
_RULES = (
    # Keys, whole; a text may have their lines escaped, as JSON does.
    (
        re.compile(r"-----BEGIN ([A-Z ]*PRIVATE KEY)-----.*?(?:-----END \1-----|\Z)", re.DOTALL),
        GONE,
    ),
    # name: "value", "name": "value" and name="value".
    (re.compile(rf'(?i)({_WORD}\\?"?\s*[:=]\s*\\?")((?:[^"\\]|\\[^"])*)'), rf"\1{GONE}"),
    (re.compile(rf"(?i)({_WORD}\s*[:=]\s*')([^']*)"), rf"\1{GONE}"),
    # name=value and name: value, to the end of the word; what is quoted has been dealt with.
    (re.compile(rf"(?i)({_WORD}\s*[:=]\s*)(?![\"\\<{{\[|>])([^\s,;\"']+)"), rf"\1{GONE}"),
    # user:password@ of an address.
    (re.compile(r"(\w+://[^\s/:@]+:)[^\s/@]+@"), rf"\1{GONE}@"),
    (re.compile(r"(?i)(authorization:?\s*\"?(?:basic|bearer)\s+)[\w.~+/=-]+"), rf"\1{GONE}"),
)
# What is shorter is a word of every text.
_SHORTEST = 6


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without what looks like a secret, and without ``secrets``, which are known.

    Known ones go wherever they stand; those of fewer than six characters only where they look like
    what they are.
    """
    for known in sorted(set(secrets), key=len, reverse=True):
        if len(known) >= _SHORTEST:
            text = text.replace(known, GONE)
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    return text
