"""Whether a rule says the same of a record each time, and whether a statement can be a query.

Each output judges a record for itself, and once more after a failure. A record that a rule judges
differently each time could be accepted by one output and be invalid to another, or neither.
"""

import re
from collections.abc import Collection

from kafka_metal_declarations.ddl import INSTANT_TYPES, RECORD_COLUMNS, Field
from kafka_metal_declarations.sql_text import Kind, Token, tokens

# Functions without brackets, where no column has that name.
UNSTEADY_BARE = frozenset(("current_date", "current_time", "current_timestamp", "localtimestamp"))
# Functions of Spark 4.2 that tell of chance, of the clock, or of how records are read.
UNSTEADY = UNSTEADY_BARE.union(
    re.findall(
        r"\w+",
        "rand random randn randstr uniform uuid shuffle aes_encrypt now curdate "
        "monotonically_increasing_id spark_partition_id "
        "input_file_name input_file_block_start input_file_block_length",
    )
)
# It gives the time only where it has no argument.
UNSTEADY_ALONE = frozenset(("unix_timestamp",))
ALLOWED_STEADY = "what gives every query the same answer: _timestamp, the record's, for the time"
ALLOWED_NAMED = "a function or a column by its own name, not by a text"

# As a time, such a text is that of the reader's clock.
_CLOCK = re.compile(r"\s*(now|today|tomorrow|yesterday)(\s+\S+)?\s*", re.IGNORECASE)
_OF_TIME = re.compile(
    r"(.*_)?(date|time|timestamp|months|day)(_.*)?|(date|timestamp)(add|diff|part)"
    r"|dayof(week|month|year)|year|quarter|month|week|weekday|hour|minute|second|extract|trunc"
)
_TIMES = INSTANT_TYPES.union(("DATE", "TIMESTAMP_NTZ"))
_END = Token(Kind.SYMBOL, " ")
_SIGNS = {"in": "i", "between": "b", "and": "a", "as": "s", "not": "n"}
# Finds mistakes, not what someone hides: only what is next to such a text counts. It has the type
# of a time, is an argument of a function of times, or is compared with a column of times.
_READ_AS_TIME = re.compile(
    r"Fc|c(s|::)F|F\(([^()]|\([^()]*\))*c"
    r"|T([=<>!]+|n?b([^a]*a)?|n?i\([^()]*)c|c([=<>!]+|n?b([^a]*a)?|n?i\([^()]*)T"
)


def unsteady(predicate: str, fields: Collection[Field]) -> tuple[str, str] | None:
    """What makes a rule unsteady, and what is allowed instead; None when nothing does."""
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
        if is_called and (text in UNSTEADY or (text in UNSTEADY_ALONE and after == "()")):
            return f"{text}()", ALLOWED_STEADY
        if not is_called and not is_member and text in UNSTEADY_BARE.difference(columns):
            return text, ALLOWED_STEADY
    read = _READ_AS_TIME.search(signs)
    return (repr(found[signs.index("c", read.start())].text), ALLOWED_STEADY) if read else None


def _sign(times: Collection[str], before: Token, token: Token, after: Token) -> str:
    """A token as one character: T a column of times, F their function or type, c a clock's text."""
    if token.kind is Kind.TEXT:
        return "c" if _CLOCK.fullmatch(token.text) else "x"
    if token.kind is Kind.SYMBOL or token.text in _SIGNS:
        return _SIGNS.get(token.text, token.text)
    if before.text in ("as", ":") or after.kind is Kind.TEXT or after == Token(Kind.SYMBOL, "("):
        return "F" if _OF_TIME.fullmatch(token.text) else "w"
    is_column = token.text in times or token.text == RECORD_COLUMNS[3]
    return "T" if is_column and before.text != "." else "w"


def is_query(sql: str, view: str) -> bool:
    """Whether a statement begins as one query and names ``view``; Spark's parser knows more."""
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
