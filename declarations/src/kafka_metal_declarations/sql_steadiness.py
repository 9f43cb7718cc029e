"""Whether a rule says the same of a record each time, and whether a statement can be a query.

Each output judges a record for itself, and once more after a failure. A record that a rule judges
differently each time could be accepted by one output and be invalid to another, or neither.
"""

import re
from collections.abc import Iterable, Mapping

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
    r"(.*_)?(date|time|timestamp)(_.*)?|datediff|timestampadd|timestampdiff|dateadd|datepart"
    r"|year|quarter|month|week|day|dayofweek|dayofmonth|dayofyear|weekday|hour|minute|second"
    r"|extract|add_months|months_between|last_day|next_day|trunc"
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

# What a query begins with.
_QUERY = ("select", "with", "from", "table", "values", "(")


def unsteady(predicate: str, fields: Iterable[Field]) -> tuple[str, str] | None:
    """What makes a rule unsteady, and what is allowed instead; None when nothing does."""
    columns = {field.name.lower(): field for field in fields}
    found = tokens(predicate)
    around = [_END, *found, _END]
    signs = "".join(_sign(columns, *each) for each in zip(around, found, around[2:], strict=False))
    for place, name in enumerate(found):
        text, after = name.text, signs[place + 1 : place + 3]
        if name.is_name and after.startswith("("):
            if text == "identifier":
                return "identifier()", ALLOWED_NAMED
            if text in UNSTEADY or (text in UNSTEADY_ALONE and after == "()"):
                return f"{text}()", ALLOWED_STEADY
        elif name.is_name and text in UNSTEADY_BARE.difference(columns):
            if not signs[:place].endswith("."):
                return text, ALLOWED_STEADY
    if read := _READ_AS_TIME.search(signs):
        clock = found[signs.index("c", read.start())]
        return repr(clock.text), ALLOWED_STEADY
    return None


def _sign(columns: Mapping[str, Field], before: Token, token: Token, after: Token) -> str:
    """A token as one character: T a column of times, F their function or type, c a clock's text."""
    text = token.text
    if token.kind is Kind.SYMBOL:
        return text
    if token.kind is Kind.TEXT:
        return "c" if _CLOCK.fullmatch(text) else "x"
    if token.kind is Kind.WORD and text in _SIGNS:
        return _SIGNS[text]
    is_type = before.text in ("as", ":") or after.kind is Kind.TEXT
    if is_type or after == Token(Kind.SYMBOL, "("):
        return "F" if _OF_TIME.fullmatch(text) else "w"
    is_of_time = text in columns and columns[text].base in _TIMES
    return "T" if is_of_time or text == RECORD_COLUMNS[3] else "w"


def is_query(sql: str, view: str) -> bool:
    """Whether a statement begins as one query and names ``view``; Spark's parser knows more."""
    found = tokens(sql)
    while found and found[-1] == Token(Kind.SYMBOL, ";"):
        found.pop()
    return (
        bool(found)
        and found[0].kind in (Kind.WORD, Kind.SYMBOL)
        and found[0].text in _QUERY
        and Token(Kind.SYMBOL, ";") not in found
        and any(each.is_name and each.text == view for each in found)
    )
