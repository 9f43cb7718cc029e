"""The words of SQL, cut as Spark's grammar does: what is in quotes or in a comment is no word."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a token is; a NAME is a word in backquotes."""

    WORD = "word"
    NAME = "name"
    TEXT = "text"
    SYMBOL = "symbol"


@dataclass(frozen=True, slots=True)
class Token:
    """``text`` is without quotes. Words and names are in small letters: Spark folds their case."""

    kind: Kind
    text: str

    @property
    def is_name(self) -> bool:
        """Whether a column, a function or a relation may be called so."""
        return self.kind in (Kind.WORD, Kind.NAME)


# A quote in a text is written twice, or after a backslash; in a raw text it is neither.
_TOKEN = re.compile(
    r"""
      (?P<space> \s+ | --(?:\\\n|[^\r\n])* )
    | (?P<comment> /\*(?!\+) )
    | (?P<raw> [rR](?:'[^']*'|"[^"]*") )
    | (?P<text> '(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.|"")*" )
    | (?P<name> `(?:[^`]|``)*` )
    | (?P<word> \w+ )
    | (?P<symbol> . )
    """,
    re.VERBOSE | re.DOTALL,
)
# A comment may be in another one; a hint is none.
_BRACKETS = re.compile(r"/\*(?!\+)|\*/")


def tokens(sql: str) -> list[Token]:
    """All tokens but comments; a quote that nothing closes is a symbol."""
    return list(_tokens(sql))


def _tokens(sql: str) -> Iterator[Token]:
    position = 0
    while found := _TOKEN.match(sql, position):
        position, text = found.end(), found[0]
        match found.lastgroup:
            case "comment":
                position = _after_comment(sql, position)
            case "raw":
                yield Token(Kind.TEXT, text[2:-1])
            case "text":
                yield Token(Kind.TEXT, text[1:-1])
            case "name":
                yield Token(Kind.NAME, text[1:-1].replace("``", "`").lower())
            case "word":
                yield Token(Kind.WORD, text.lower())
            case "symbol":
                yield Token(Kind.SYMBOL, text)


def _after_comment(sql: str, start: int) -> int:
    depth = 1
    for bracket in _BRACKETS.finditer(sql, start):
        depth += 1 if bracket[0] == "/*" else -1
        if not depth:
            return bracket.end()
    return len(sql)
