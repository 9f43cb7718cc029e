# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Names of series in PromQL expressions, found with a small part of its grammar."""

from __future__ import annotations

import re

KEYWORDS = {
    *("and", "or", "unless", "by", "without", "on", "ignoring", "group_left", "group_right"),
    *("offset", "bool", "inf", "nan", "atan2", "start", "end"),
}
STRING = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`")
SELECTOR = re.compile(r"\{[^{}]*\}")
RANGE = re.compile(r"\[[^\[\]]*\]")
# Labels of a grouping or matching clause.
CLAUSE = re.compile(
    r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)", re.IGNORECASE
)
# A variable of a dashboard, which is a number or a duration.
VARIABLE = re.compile(r"\$\{?\w+(?::\w+)?\}?")
WORD = re.compile(r"(?<![\w:.])([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(\(?)")


def series_names(expr: str) -> set[str]:
    """Names of the series that an expression reads.

    >>> sorted(series_names('sum by (job) (rate(a_total{x="b{"}[5m])) > on (y) c'))
    ['a_total', 'c']
    """
    rest = STRING.sub('""', expr)
    for pattern in (SELECTOR, RANGE, CLAUSE, VARIABLE):
        rest = pattern.sub(" ", rest)
    return {
        name
        for name, call in WORD.findall(rest)
        if not call and name.lower() not in KEYWORDS and not name.isspace()
    } | {name for name, call in WORD.findall(rest) if call and ":" in name}
