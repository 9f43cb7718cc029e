"""Tokens of SQL as in Spark's grammar: quoted text and comments contain no words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """The kind of a token; a NAME is in backquotes."""

    WORD = "word"
    NAME = "name"
    TEXT = "text"
    SYMBOL = "symbol"


@dataclass(frozen=True, slots=True)
class Token:
    """``text`` has no quotes; words and names are in lower case, as Spark ignores case."""

    kind: Kind
    text: str

    @property
    def is_name(self) -> bool:
        """Whether it can be the name of a column, function or relation."""
        return self.kind in (Kind.WORD, Kind.NAME)


# A quote in a text is doubled or escaped by a backslash; raw texts support neither.
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
# Comments can be nested; a hint (/*+) is not a comment.
_BRACKETS = re.compile(r"/\*(?!\+)|\*/")


def tokens(sql: str) -> list[Token]:
    """Return all tokens except comments; an unclosed quote is a symbol."""
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
