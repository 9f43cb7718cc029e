"""Whether a rule says the same of a record each time, and whether a statement can be a query.

Each output judges a record for itself, and once more after a failure. A record that a rule judges
differently each time could be accepted by one output and be invalid to another, or neither.
"""

import re
from collections.abc import Collection, Iterable

from kafka_metal_declarations.ddl import RECORD_COLUMNS, Field
from kafka_metal_declarations.sql_text import Kind, Token, tokens

# Functions of Spark 4.2 that tell of chance, of the clock, or of how records are read.
UNSTEADY = frozenset(
    re.findall(
        r"\w+",
        "rand random randn randstr uniform uuid shuffle aes_encrypt "
        "now curdate current_date current_time current_timestamp localtimestamp "
        "monotonically_increasing_id spark_partition_id "
        "input_file_name input_file_block_start input_file_block_length",
    )
)
# It gives the time only where it has no argument.
UNSTEADY_ALONE = frozenset(("unix_timestamp",))
# Functions without brackets, where no column has that name.
UNSTEADY_BARE = frozenset(("current_date", "current_time", "current_timestamp", "localtimestamp"))
ALLOWED_STEADY = "what gives every query the same answer: _timestamp, the record's, for the time"

# As a time, such a text is that of the reader's clock.
_CLOCK = re.compile(r"\s*(now|today|tomorrow|yesterday)(\s+\S+)?\s*", re.IGNORECASE)
_OF_TIME = re.compile(
    r"(.*_)?(date|time|timestamp)(_.*)?|datediff|timestampadd|timestampdiff|dateadd|datepart"
    r"|year|quarter|month|week|day|dayofweek|dayofmonth|dayofyear|weekday|hour|minute|second"
    r"|extract|add_months|months_between|last_day|next_day|trunc"
)
# A rule that names a function by an expression could name any.
_BY_EXPRESSION = "identifier"
AS, TEXT = Token(Kind.WORD, "as"), Kind.TEXT

# What a query begins with.
_QUERY = ("select", "with", "from", "table", "values", "(")


def unsteady(predicate: str, fields: Iterable[Field]) -> str | None:
    """What makes a rule unsteady, as a person finds it; None when nothing does."""
    columns = {field.name.lower(): field for field in fields}
    found = tokens(predicate)
    names = [each if each.is_name else None for each in found]
    for place, name in enumerate(names):
        after = _symbols(found[place + 1 : place + 3])
        if name is None:
            continue
        if after.startswith("("):
            if name.text in UNSTEADY or name.text == _BY_EXPRESSION:
                return f"{name.text}()"
            if name.text in UNSTEADY_ALONE and after == "()":
                return f"{name.text}()"
        elif name.text in UNSTEADY_BARE and name.text not in columns:
            is_member = _symbols(found[place - 1 : place]) == "."
            if not is_member:
                return name.text
    return _clock(found, columns)


def _clock(found: list[Token], columns: dict[str, Field]) -> str | None:
    """A text as ``today`` in a rule over times; among texts it is a text."""
    clocks = [each.text for each in found if each.kind is TEXT and _CLOCK.fullmatch(each.text)]
    if clocks and any(_is_of_time(found, place, columns) for place in range(len(found))):
        return repr(clocks[0])
    return None


def _is_of_time(found: list[Token], place: int, columns: dict[str, Field]) -> bool:
    """Whether a token is a column, a function or a type of times."""
    word, before, after = found[place], found[:place][-1:], found[place + 1 : place + 2]
    is_called = _symbols(after) == "("
    if not word.is_name:
        return False
    if word.text in columns and not is_called:
        return columns[word.text].is_instant or columns[word.text].base in ("DATE", "TIMESTAMP_NTZ")
    is_type = _symbols(before) == ":" or before == [AS] or [each.kind for each in after] == [TEXT]
    is_time = _OF_TIME.fullmatch(word.text) is not None
    return word.text == RECORD_COLUMNS[3] or (is_time and (is_called or is_type))


def _symbols(some: Collection[Token]) -> str:
    """The symbols that some tokens begin with, as one text."""
    text = ""
    for each in some:
        if each.kind is not Kind.SYMBOL:
            break
        text += each.text
    return text


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
