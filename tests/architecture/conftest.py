"""The repository for the rules: its files, their text and their YAML."""

import os
import re
import sys
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest
import yaml

# Tests import helper modules of this directory by name; pytest's import mode does not add it.
sys.path.insert(0, str(Path(__file__).parent))

# Files that tools create, and files that are no sources.
SKIPPED = re.compile(r"(^|/)(\.[^/]+|__pycache__|dist|[^/]+\.egg-info)(/|$)")


class Repository:
    """Files by pattern, their text and their YAML; each is read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._texts: dict[str, str] = {}

    def files(self, *patterns: str) -> list[str]:
        """Paths relative to the root, sorted; ``**`` crosses folders."""
        matchers = [_pattern(each) for each in patterns]
        return [path for path in self._files if any(it.fullmatch(path) for it in matchers)]

    @cached_property
    def _files(self) -> list[str]:
        """All sources, sorted. An environment in the repository has ten times as many files."""
        found = []
        for folder, folders, names in os.walk(self.root):
            inside = "".join(f"{each}/" for each in Path(folder).relative_to(self.root).parts)
            folders[:] = [each for each in folders if not _skipped(inside + each)]
            found += [
                inside + name
                for name in names
                if not _skipped(inside + name) and not Path(folder, name).is_symlink()
            ]
        return sorted(found)

    def folders(self, pattern: str) -> list[str]:
        """Names of matching folders."""
        return sorted(path.name for path in self.root.glob(pattern) if path.is_dir())

    def text(self, path: str) -> str:
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_text(encoding="utf-8", errors="replace")
        return self._texts[path]

    def lines(self, path: str) -> list[str]:
        return self.text(path).splitlines()

    def yaml(self, path: str) -> Any:
        """Content of a YAML file; None for an empty file."""
        return yaml.load(self.text(path), Loader=yaml.CSafeLoader)

    def options(self, role: str) -> dict[str, dict[str, Any]]:
        """Options of all entry points of a role."""
        entries = self.yaml(f"roles/{role}/meta/argument_specs.yml")["argument_specs"].values()
        return {name: spec for e in entries for name, spec in (e.get("options") or {}).items()}

    def defaults(self, role: str) -> dict[str, Any]:
        path = f"roles/{role}/defaults/main.yml"
        return (self.yaml(path) or {}) if (self.root / path).exists() else {}

    def role_of(self, variable: str) -> str | None:
        """Role whose prefix a variable has; the longest prefix of several."""
        owners = [r for r in self.folders("roles/*") if variable.startswith(f"{r}_")]
        return max(owners, key=len, default=None)

    def tasks(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every task of roles and playbooks with its file, including tasks in blocks."""
        for path in self.files("roles/*/tasks/**/*.yml", "roles/*/handlers/**/*.yml"):
            yield from ((path, task) for task in _flat(self.yaml(path)))
        for path in self.files("playbooks/**/*.yml"):
            content = self.yaml(path)
            for play in content if isinstance(content, list) else []:
                for part in ("pre_tasks", "tasks", "post_tasks", "handlers"):
                    yield from ((path, task) for task in _flat(play.get(part)))


def _skipped(path: str) -> bool:
    return bool(SKIPPED.search(path.removeprefix(".ci")))


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    """Return a file pattern as a regular expression, which matches paths at once."""
    text = re.escape(glob).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*")
    return re.compile(text.replace(r"\*", "[^/]*").replace(r"\?", "[^/]"))


def _flat(tasks: list[dict[str, Any]] | None) -> Iterator[dict[str, Any]]:
    for task in tasks or ():
        yield task
        for part in ("block", "rescue", "always"):
            yield from _flat(task.get(part))


@pytest.fixture(scope="session")
def repository() -> Repository:
    return Repository(Path(__file__).resolve().parents[2])
