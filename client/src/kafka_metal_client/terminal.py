"""Texts for a terminal: files, columns and clients of a cluster may have any name."""

import os
import shlex
from collections.abc import Iterable


def escape_unprintable(text: str) -> str:
    """Return ``text`` in one line, with control and bidirectional characters escaped."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def echo(*lines: str) -> None:
    """Print each text as one line."""
    print("\n".join(map(escape_unprintable, lines)), flush=True)


def command_line(words: Iterable[str]) -> str:
    """Return a command for a shell; words with unprintable characters in Bash's form $'\\x1b'."""
    return " ".join(shlex.quote(word) if word.isprintable() else _escaped(word) for word in words)


def _escaped(word: str) -> str:
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b"\\'" else f"\\x{byte:02x}"
             for byte in os.fsencode(word))  # fmt: skip
    return f"$'{''.join(plain)}'"
