"""Results in one JSON file, which is consistent at any time."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, List, Optional

FORMAT = 1


class ResultsError(Exception):
    """The file has other settings or is not a results file; the message names the remedy."""


class Results:
    """Samples by experiment, subject, side and round. Every addition is saved immediately."""

    def __init__(self, path: Path, settings: Dict[str, Any]) -> None:
        """Read an existing file; raise ResultsError if it has other settings."""
        self.path = path
        self.data: Dict[str, Any] = {
            "format": FORMAT,
            "settings": settings,
            "limits": {},
            "samples": [],
            "skipped": [],
        }
        if path.exists():
            self.data = load(path)
            before = self.data["settings"]
            different = sorted(
                key
                for key in before.keys() | settings.keys()
                if before.get(key) != settings.get(key)
            )
            if different:
                raise ResultsError(
                    f"{path} has results of other settings: "
                    + "; ".join(
                        f"{key} was {before.get(key)!r}, now {settings.get(key)!r}"
                        for key in different
                    )
                    + ". Their rounds cannot be compared: choose another benchmark_name, or"
                    " delete the old folder"
                )

    def done(self, experiment: str, subject: str, side: str, round_: int) -> bool:
        """Whether this or an earlier run has this measurement."""
        key = (experiment, subject, side, round_)
        return any(
            (s["experiment"], s["subject"], s["side"], s["round"]) == key
            for s in self.data["samples"]
        )

    def add(self, sample: Dict[str, Any]) -> None:
        """Save a measurement."""
        self.data["samples"].append(sample)
        self.save()

    def put(self, key: str, value: Any) -> None:
        """Save a value that is measured once."""
        self.data[key] = value
        self.save()

    def skip(self, experiment: str, subject: str, side: str, reason: str) -> None:
        """Save the reason for a missing result; it replaces an earlier reason."""
        entry = {"experiment": experiment, "subject": subject, "side": side, "reason": reason}
        same = ("experiment", "subject", "side")
        self.data["skipped"] = [
            old for old in self.data["skipped"] if any(old[key] != entry[key] for key in same)
        ] + [entry]
        self.save()

    def save(self) -> None:
        """Write a temporary file and rename it, so that readers never see a partial file."""
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        os.replace(part, self.path)


def load(path: Path) -> Dict[str, Any]:
    """Return the content of a results file; raise ResultsError if it is invalid."""
    try:
        data: Dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ResultsError(f"{path} is not a results file: {error}") from error
    if data.get("format") != FORMAT:
        raise ResultsError(f"{path} has format {data.get('format')!r}; this version reads {FORMAT}")
    return data


def values(
    samples: List[Dict[str, Any]], experiment: str, subject: str, side: str, key: str
) -> List[float]:
    """Return one result of all rounds."""
    return [
        sample[key]
        for sample in samples
        if (sample["experiment"], sample["subject"], sample["side"]) == (experiment, subject, side)
        and sample.get(key) is not None
    ]


def reason(data: Dict[str, Any], experiment: str, subject: str, side: str) -> Optional[str]:
    """Return the reason for a missing result, if known."""
    for entry in data["skipped"]:
        if (entry["experiment"], entry["subject"], entry["side"]) == (experiment, subject, side):
            return str(entry["reason"])
    return None
