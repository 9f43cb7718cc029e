"""Checks of SQL: whether a rule is deterministic, and whether a statement can be a query.

Each output evaluates the rules for itself, and again after a failure. With a nondeterministic rule,
one output could accept a record and another reject it, or the record could be lost.
"""

import re
from collections.abc import Collection

from kafka_metal_declarations.ddl import INSTANT_TYPES, RECORD_COLUMNS, Field
from kafka_metal_declarations.sql_text import Kind, Token, tokens

# Functions without brackets, where no column has that name.
NONDETERMINISTIC_BARE = frozenset(
    ("current_date", "current_time", "current_timestamp", "localtimestamp")
)
# Spark 4.2 functions that depend on chance, on the clock, or on how records are read.
NONDETERMINISTIC = NONDETERMINISTIC_BARE.union(
    re.findall(
        r"\w+",
        "rand random randn randstr uniform uuid shuffle aes_encrypt now curdate "
        "monotonically_increasing_id spark_partition_id "
        "input_file_name input_file_block_start input_file_block_length",
    )
)
# Returns the current time only if it has no argument.
NONDETERMINISTIC_WITHOUT_ARGUMENT = frozenset(("unix_timestamp",))
ALLOWED_DETERMINISTIC = "a function with the same result in every query; for the time, _timestamp"
ALLOWED_NAMED = "a function or a column by its own name, not by a text"

# Cast to a time, such a text becomes the current time.
_CLOCK = re.compile(r"\s*(now|today|tomorrow|yesterday)(\s+\S+)?\s*", re.IGNORECASE)
_OF_TIME = re.compile(
    r"(.*_)?(date|time|timestamp|months|day)(_.*)?|(date|timestamp)(add|diff|part)"
    r"|dayof(week|month|year)|year|quarter|month|week|weekday|hour|minute|second|extract|trunc"
)
_TIMES = INSTANT_TYPES.union(("DATE", "TIMESTAMP_NTZ"))
_END = Token(Kind.SYMBOL, " ")
_SIGNS = {"in": "i", "between": "b", "and": "a", "as": "s", "not": "n"}
# Finds mistakes, not deliberate evasion: only texts next to a time count. Such a text has a time
# type, is an argument of a time function, or is compared with a time column.
_COMPARED_AS_TIME = re.compile(
    r"Fc|c(s|::)F|F\(([^()]|\([^()]*\))*c"
    r"|T([=<>!]+|n?b([^a]*a)?|n?i\([^()]*)c|c([=<>!]+|n?b([^a]*a)?|n?i\([^()]*)T"
)


def nondeterministic(predicate: str, fields: Collection[Field]) -> tuple[str, str] | None:
    """Return a rule's nondeterministic part and what is allowed instead; None if it has none."""
    columns = {field.name.lower() for field in fields}
    times = {field.name.lower() for field in fields if field.base in _TIMES}
    found = tokens(predicate)
    around = [_END, *found, _END]
    signs = "".join(_sign(times, *each) for each in zip(around, found, around[2:], strict=False))
    for place, text in ((place, each.text) for place, each in enumerate(found) if each.is_name):
        after = signs[place + 1 : place + 3]
        is_called, is_member = after.startswith("("), signs[:place].endswith(".")
        if is_called and text == "identifier":
            return "identifier()", ALLOWED_NAMED
        if is_called and (
            text in NONDETERMINISTIC
            or (text in NONDETERMINISTIC_WITHOUT_ARGUMENT and after == "()")
        ):
            return f"{text}()", ALLOWED_DETERMINISTIC
        if not is_called and not is_member and text in NONDETERMINISTIC_BARE.difference(columns):
            return text, ALLOWED_DETERMINISTIC
    read = _COMPARED_AS_TIME.search(signs)
    return (
        (repr(found[signs.index("c", read.start())].text), ALLOWED_DETERMINISTIC) if read else None
    )


def _sign(times: Collection[str], before: Token, token: Token, after: Token) -> str:
    """Return a token as one character: T time column, F time function or type, c clock text."""
    if token.kind is Kind.TEXT:
        return "c" if _CLOCK.fullmatch(token.text) else "x"
    if token.kind is Kind.SYMBOL or token.text in _SIGNS:
        return _SIGNS.get(token.text, token.text)
    if before.text in ("as", ":") or after.kind is Kind.TEXT or after == Token(Kind.SYMBOL, "("):
        return "F" if _OF_TIME.fullmatch(token.text) else "w"
    is_column = token.text in times or token.text == RECORD_COLUMNS[3]
    return "T" if is_column and before.text != "." else "w"


def is_query(sql: str, view: str) -> bool:
    """Whether a statement begins as a single query and names ``view``; Spark parses it later."""
    found = tokens(sql)
    while found and found[-1] == Token(Kind.SYMBOL, ";"):
        found.pop()
    return (
        bool(found)
        and found[0].kind in (Kind.WORD, Kind.SYMBOL)
        and found[0].text in ("select", "with", "from", "table", "values", "(")
        and Token(Kind.SYMBOL, ";") not in found
        and any(each.is_name and each.text == view for each in found)
    )
