"""What a page of docs/start makes its reader do."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PROMPT = "$ "
ROW = re.compile(r"^\| \d+ \| `(make [^`]*)`", re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """A page with its fenced blocks."""

    path: Path

    @property
    def text(self) -> str:
        """The page as it is written."""
        return self.path.read_text(encoding="utf-8")

    def blocks(self, language: str) -> Iterator[tuple[int, str]]:
        """Line number and text of each block of a language."""
        for match in BLOCK.finditer(self.text):
            if match[1] == language:
                yield self.text.count("\n", 0, match.start()) + 2, match[2]

    def commands(self) -> Iterator[tuple[int, str]]:
        """Line number and command, in the order of the page."""
        for first, block in self.blocks("console"):
            for number, line in enumerate(block.splitlines(), first):
                if line.startswith(PROMPT):
                    yield number, line.removeprefix(PROMPT)

    def steps(self) -> Iterator[tuple[int, str]]:
        """Line number and command of each row of a table of steps."""
        for match in ROW.finditer(self.text):
            yield self.text.count("\n", 0, match.start()) + 1, match[1]

    def declare(self, file: Path) -> None:
        """Add what the page declares to ``file``, below the keys that are there."""
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        for _, block in self.blocks("yaml"):
            for key, value in yaml.safe_load(block).items():
                content[key] = _below(content.get(key), value)
        file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")


def _below(there: Any, added: Any) -> Any:
    if isinstance(there, Mapping) and isinstance(added, Mapping):
        return {**there, **added}
    if isinstance(there, list) and isinstance(added, list):
        return [*there, *added]
    return added
