"""Plain words: terms of the project's former private language are in no name and no sentence."""

import re

import pytest

# Words that mean nothing else here, and what to write instead.
BANNED = {
    r"wish(es|ed)?": "desired state, spec, declared",
    r"visitors?": "connected clients",
    r"takes? leave": "reaps",
    r"as_left": "baseline",
    r"at_rest": "unchanged",
    r"stirred": "changed",
    r"those (that|who) watch": "monitoring",
    r"obstacles?": "blocker",
    r"verdicts?": "result",
    r"patience": "stall timeout",
    r"standstill": "stall",
    r"last[ _]words": "log tail",
    r"doors?": "secured listener",
}
WORD = re.compile(rf"(?<![A-Za-z])({'|'.join(BANNED)})(?![A-Za-z])", re.IGNORECASE)
# History keeps its words; the lock file has names of other projects; names on machines stay.
SKIPPED = re.compile(
    r"^(CHANGELOG\.rst|changelogs/|uv\.lock|docs/benchmark/\S+/|tests/architecture/test_words\.py"
    r"|docs/start/from-0\.1\.md|meta/renamed_variables\.yml)"
)
TEXT = ("py", "yml", "md", "j2", "java", "toml", "cfg", "sh", "pl", "html", "js", "css", "sql")


def files(repository):
    """Sources and pages, with files without an ending in folders of scripts."""
    patterns = [f"**/*.{ending}" for ending in TEXT]
    yield from repository.files(
        *patterns, "Makefile", "scripts/*", "images/*/bin/*", "images/shared/*"
    )


def test_no_private_word_is_left(repository):
    found = [
        f"{path}:{number}: {match.group(0)}; write: {meaning(match.group(0))}"
        for path in files(repository)
        if not SKIPPED.match(path)
        for number, line in enumerate(repository.lines(path), 1)
        for match in WORD.finditer(line)
    ]

    assert found == []


@pytest.mark.parametrize("word", ["wishes", "Obstacle", "as_left", "verdict", "door"])
def test_a_private_word_is_found(word):
    assert meaning(word)
    assert WORD.search(f"a_{word} b")


@pytest.mark.parametrize("word", ["indoors", "wishbone", "close", "left", "silence", "turn"])
def test_an_ordinary_word_is_allowed(word):
    assert not WORD.search(f"the {word} b")


def meaning(word: str) -> str:
    """What to write instead of ``word``."""
    return next(
        text for pattern, text in BANNED.items() if re.fullmatch(pattern, word, re.IGNORECASE)
    )
