"""Plain words: terms of the project's former private language are in no name and no sentence."""

import re

import pytest

# Words that mean nothing else here, and what to write instead. A blank matches "_" and "-" too.
BANNED = {
    r"wish(es|ed)?": "desired state, spec, declared",
    r"visitors": "connected clients",
    r"strangers?": "foreign cluster",
    r"whoever": "every client, each process",
    r"takes? leave": "reaps",
    r"as_left": "baseline",
    r"stirred": "changed",
    r"those that watch": "monitoring",
    r"those who": "clients, users",
    r"lets? in": "accepts",
    r"slips? of": "typo",
    r"for ever": "forever",
    r"obstacles?": "blocker",
    r"verdicts?": "result",
    r"patience": "stall timeout",
    r"standstill": "stall",
    r"last words": "log tail",
    r"doors?": "secured listener",
}
MEANINGS = {pattern.replace(" ", "[ _-]"): text for pattern, text in BANNED.items()}
WORD = re.compile(rf"(?<![A-Za-z])({'|'.join(MEANINGS)})(?![A-Za-z])", re.IGNORECASE)
# History keeps its words; the lock file has names of other projects; names on machines stay.
SKIPPED = re.compile(
    r"^(CHANGELOG\.rst|changelogs/|uv\.lock|docs/benchmark/\S+/|tests/architecture/test_words\.py"
    r"|docs/start/from-0\.1\.md|meta/renamed_variables\.yml)"
)
TEXT = (
    *("py", "yml", "md", "j2", "java", "toml", "cfg", "sh", "pl", "html", "js", "css", "sql"),
    "properties",
)
# Files without an ending.
NAMES = (
    *("Makefile", "scripts/*", ".ci/run", "**/Dockerfile"),
    *("images/*/bin/*", "images/shared/*", "images/kafka/programs", "images/*/class-archive"),
)
# The repository's list of files leaves out hidden files.
HIDDEN = (".ansible-lint", ".gitignore", "compose/.gitignore")


def files(repository):
    """Sources and pages, configuration, and scripts without an ending."""
    yield from repository.files(*(f"**/*.{ending}" for ending in TEXT), *NAMES)
    yield from HIDDEN


def test_files_without_an_ending_are_read(repository):
    wanted = {
        *("images/kafka/Dockerfile", "images/kafka/programs", "images/kafka/class-archive"),
        *("images/kafka/conf/log4j.properties", ".ci/run", *HIDDEN),
    }
    assert wanted <= {*files(repository)}
    assert all(repository.lines(path) for path in wanted)


def test_no_private_word_is_left(repository):
    found = [
        f"{path}:{number}: {match.group(0)}; write: {meaning(match.group(0))}"
        for path in files(repository)
        if not SKIPPED.match(path)
        for number, line in enumerate(repository.lines(path), 1)
        for match in WORD.finditer(line)
    ]

    assert found == []


@pytest.mark.parametrize(
    "word",
    [
        *("wishes", "Obstacle", "as_left", "verdict", "door", "visitors", "Whoever", "strangers"),
        *("last words", "last-words", "takes_leave", "those who", "lets-in", "for ever"),
    ],
)
def test_a_private_word_is_found(word):
    assert meaning(word)
    assert WORD.search(f"a_{word} b")


@pytest.mark.parametrize(
    "word",
    [
        *("indoors", "wishbone", "close", "left", "silence", "turn", "visitor", "forever"),
        *("encryption_at_rest", ".as-left", "outlets in"),
    ],
)
def test_an_ordinary_word_is_allowed(word):
    assert not WORD.search(f"the {word} b")


def meaning(word: str) -> str:
    """What to write instead of ``word``."""
    return next(
        text for pattern, text in MEANINGS.items() if re.fullmatch(pattern, word, re.IGNORECASE)
    )
