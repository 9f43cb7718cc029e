"""Kernel settings that a knob changes, and puts back whatever happens."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence, Tuple

CHOICE = re.compile(r"\[([^\]]+)\]")


def current(text: str) -> str:
    """The value in force: the one in brackets where the kernel lists choices."""
    found = CHOICE.search(text)
    return found[1] if found else text.strip()


def expand(settings: Mapping[str, str], devices: Sequence[str]) -> Dict[str, str]:
    """``settings`` with {device} replaced by each block device."""
    return {
        path.replace("{device}", device): value
        for path, value in settings.items()
        for device in (devices if "{device}" in path else [""])
    }


class Kernel:
    """Writes settings and remembers the old ones in a file, for a run that was killed."""

    def __init__(self, memory: Path, say: Callable[[str], Any]) -> None:
        """Put back what an earlier run could not."""
        self.memory = memory
        self.say = say
        self.restore()

    def set(self, settings: Mapping[str, str]) -> None:
        """Write ``settings``; the values before the first change are remembered before it."""
        old = self.remembered()
        for path in with_twins(settings):
            old.setdefault(path, current(Path(path).read_text(encoding="ascii")))
        if old:
            self.memory.write_text(json.dumps(old, indent=1), encoding="ascii")
        for path, value in settings.items():
            Path(path).write_text(value, encoding="ascii")

    def remembered(self) -> Dict[str, str]:
        """Old values by path."""
        if not self.memory.exists():
            return {}
        found: Dict[str, str] = json.loads(self.memory.read_text(encoding="ascii"))
        return found

    def restore(self) -> None:
        """Put every changed setting back."""
        problems: List[str] = []
        for path, value in in_force(self.remembered()):
            try:
                Path(path).write_text(value, encoding="ascii")
            except OSError as error:
                problems.append(f"{path} = {value}: {error.strerror}")
        if problems:
            raise OSError(f"kernel settings could not be put back: {'; '.join(problems)}")
        if self.memory.exists():
            self.say("kernel settings are as before")
            self.memory.unlink()


def with_twins(paths: Iterable[str]) -> List[str]:
    """``paths`` and what the kernel sets to 0 with them: of a ratio and its bytes one holds."""
    found = []
    for path in paths:
        folder, _, name = path.rpartition("/")
        found.append(path)
        if name.startswith("dirty_") and name.endswith("_bytes"):
            found.append(f"{folder}/{name[: -len('bytes')]}ratio")
        elif name.startswith("dirty_") and name.endswith("_ratio"):
            found.append(f"{folder}/{name[: -len('ratio')]}bytes")
    return found


def in_force(old: Mapping[str, str]) -> List[Tuple[str, str]]:
    """What to write to be as before: of a ratio and its bytes the one that held, never the 0."""
    return [
        (path, value)
        for path, value in old.items()
        if not (value == "0" and path.rpartition("/")[2].startswith("dirty_"))
    ]
