"""Change kernel settings for a knob, and restore them in any case."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence, Tuple

CHOICE = re.compile(r"\[([^\]]+)\]")


def current(text: str) -> str:
    """Return the active value: the one in brackets if the kernel lists choices."""
    found = CHOICE.search(text)
    return found[1] if found else text.strip()


def expand(settings: Mapping[str, str], devices: Sequence[str]) -> Dict[str, str]:
    """Return ``settings`` with {device} replaced by each block device."""
    return {
        path.replace("{device}", device): value
        for path, value in settings.items()
        for device in (devices if "{device}" in path else [""])
    }


class Kernel:
    """Changes settings and saves the old values in a file, in case the run is killed."""

    def __init__(self, saved: Path, log: Callable[[str], Any]) -> None:
        """Restore settings that an earlier run has changed."""
        self.saved = saved
        self.log = log
        self.restore()

    def set(self, settings: Mapping[str, str]) -> None:
        """Write ``settings``; save the original values before the first change."""
        old = self.saved_values()
        for path in with_counterparts(settings):
            old.setdefault(path, current(Path(path).read_text(encoding="ascii")))
        if old:
            self.saved.write_text(json.dumps(old, indent=1), encoding="ascii")
        for path, value in settings.items():
            Path(path).write_text(value, encoding="ascii")

    def saved_values(self) -> Dict[str, str]:
        """Return the saved values by path."""
        if not self.saved.exists():
            return {}
        found: Dict[str, str] = json.loads(self.saved.read_text(encoding="ascii"))
        return found

    def restore(self) -> None:
        """Restore all changed settings; raise OSError if that fails."""
        problems: List[str] = []
        for path, value in restorable_settings(self.saved_values()):
            try:
                Path(path).write_text(value, encoding="ascii")
            except OSError as error:
                problems.append(f"{path} = {value}: {error.strerror}")
        if problems:
            raise OSError(f"cannot restore kernel settings: {'; '.join(problems)}")
        if self.saved.exists():
            self.log("kernel settings restored")
            self.saved.unlink()


def with_counterparts(paths: Iterable[str]) -> List[str]:
    """Return ``paths`` and the settings that the kernel resets to 0 with them (bytes or ratio)."""
    found = []
    for path in paths:
        folder, _, name = path.rpartition("/")
        found.append(path)
        if name.startswith("dirty_") and name.endswith("_bytes"):
            found.append(f"{folder}/{name[: -len('bytes')]}ratio")
        elif name.startswith("dirty_") and name.endswith("_ratio"):
            found.append(f"{folder}/{name[: -len('ratio')]}bytes")
    return found


def restorable_settings(old: Mapping[str, str]) -> List[Tuple[str, str]]:
    """Return the settings to restore, without dirty_* values of 0, which cannot be written."""
    return [
        (path, value)
        for path, value in old.items()
        if not (value == "0" and path.rpartition("/")[2].startswith("dirty_"))
    ]
