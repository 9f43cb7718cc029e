# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Variables of earlier releases, from meta/renamed_variables.yml."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import yaml

FILE = Path(__file__).resolve().parents[3] / "meta/renamed_variables.yml"
FOUND = "a variable of an earlier release"


@cache
def renamed() -> dict[str, str]:
    """Return the new name by old name."""
    found: dict[str, str] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return found


def allowed(name: str) -> str:
    """Return what a site sets instead of an old name."""
    return f"{renamed()[name]} in its place"


def messages(names: Iterable[str]) -> list[str]:
    """Return one message for each old name among ``names``, sorted."""
    old = sorted(renamed().keys() & set(names))
    return [f"{name}: found {FOUND}; allowed: {allowed(name)}" for name in old]
