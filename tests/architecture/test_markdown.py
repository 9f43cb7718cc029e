"""Markdown in a plain clone: links lead to files, and lines render."""

import importlib.machinery
import importlib.util
import re
from collections.abc import Iterator
from pathlib import PurePath

import pytest

# Reports that `make bench` writes.
REPORTS = re.compile(r"docs/benchmark/.+/")
BLOCK = re.compile(r"^( *)(`{3,}).*?^\1\2 *$", re.DOTALL | re.MULTILINE)
# A span of inline code ends with as many backticks as it starts with.
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,4} (.+)$", re.MULTILINE)
COLUMNS = 120
# Of a guide.
MOST_LINES = 120


def without_blocks(text: str) -> str:
    """Text with empty lines in place of code blocks: lines keep their numbers."""
    return BLOCK.sub(lambda block: "\n" * block[0].count("\n"), text)


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """First line and text of each paragraph, list item or row of a table."""
    lines: list[str] = []
    for number, line in enumerate([*without_blocks(text).splitlines(), ""], 1):
        starts = not line.strip() or re.match(r" *(?:[-*+] |\d+\. |\||#)", line)
        if starts and lines:
            yield number - len(lines), "\n".join(lines)
            lines = []
        if line.strip():
            lines.append(line)


def broken_code(text: str) -> list[tuple[int, str]]:
    """Line and text of inline code that a line break splits."""
    return [
        (number + found.string.count("\n", 0, found.start()), found[0])
        for number, paragraph in paragraphs(text)
        for found in CODE.finditer(paragraph)
        if "\n" in found[2]
    ]


def long_lines(text: str) -> list[tuple[int, str]]:
    """Lines of prose that are too long. Rows of tables and single long words cannot be broken."""
    return [
        (number, line)
        for number, line in enumerate(without_blocks(text).splitlines(), 1)
        if len(line) > COLUMNS
        and not line.lstrip().startswith("|")
        and " " in line[:COLUMNS].strip()
    ]


def anchors(text: str) -> set[str]:
    """Anchors of headings, as Markdown readers make them."""
    plain = (
        re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)
        for title in HEADING.findall(BLOCK.sub("", text))
    )
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in plain}


@pytest.fixture(scope="module")
def pages(repository) -> dict[str, str]:
    return {
        path: repository.text(path)
        for path in repository.files("docs/**/*.md", "*.md")
        if not REPORTS.match(path)
    }


@pytest.fixture(scope="module")
def generated(repository) -> set[str]:
    """Pages that scripts/build-docs writes over those of the repository."""
    path = str(repository.root / "scripts/build-docs")
    loader = importlib.machinery.SourceFileLoader("build_docs", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("build_docs", loader))
    loader.exec_module(module)
    return {f"docs/reference/{name}.md" for name in module.PAGES} | {
        "docs/reference/collection/index.rst"
    }


def test_links_lead_to_files_of_the_repository(repository, pages, generated):
    missing = set()
    for page, text in pages.items():
        for link in LINK.findall(without_blocks(text)):
            path, _, anchor = link.partition("#")
            if ":" in path:
                continue
            file = (repository.root / page).parent / path if path else repository.root / page
            if not file.exists():
                missing.add((page, link))
                continue
            name = str(PurePath(file.resolve().relative_to(repository.root.resolve())))
            if anchor and name not in generated and anchor not in anchors(repository.text(name)):
                missing.add((page, link))

    assert missing == set()


def test_a_generated_page_says_how_it_is_built(repository, generated):
    assert generated
    for path in generated:
        page = str(PurePath(path).with_suffix(".html")).removeprefix("docs/")
        assert "`make docs`" in repository.text(path), path
        assert f".cache/docs/html/{page}" in repository.text(path), path


def test_no_other_page_says_that_it_is_generated(repository, pages, generated):
    assert {path for path, text in pages.items() if "This page is generated" in text} <= generated


def test_inline_code_is_on_one_line(pages):
    assert [(page, *each) for page, text in pages.items() for each in broken_code(text)] == []


def test_lines_of_prose_are_short(pages):
    assert [(page, *each) for page, text in pages.items() for each in long_lines(text)] == []


def test_guides_of_pipelines_are_short(repository):
    guides = repository.files("docs/operate/guides/pipeline*.md")
    assert {path for path in guides if len(repository.lines(path)) > MOST_LINES} == set()


def test_broken_code_is_found():
    text = "First\n\n- run `make\n  up` or `make plan`\n- a ``b`\nc``\n\n```\n`x\ny`\n```\n"
    assert broken_code(text) == [(3, "`make\n  up`"), (5, "``b`\nc``")]
    assert broken_code("- one `\n- two `\n") == []


def test_anchors_are_those_of_a_reader():
    text = "# A `b-c`, d\n```\n# not one\n```\n## The [gate](x.md): a check\n"
    assert anchors(text) == {"a-b-c-d", "the-gate-a-check"}
