# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The file with a machine's baseline, and the digests of declarations in it.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any


def read(path: str) -> dict[str, Any]:
    """Return the baseline; empty when there is none, or none that can be read."""
    try:
        with open(path, encoding="utf-8") as stream:
            baseline = json.load(stream)
    except (OSError, ValueError):
        return {}
    return baseline if isinstance(baseline, dict) and "declared" in baseline else {}


def write(path: str, baseline: Mapping[str, Any]) -> None:
    """Replace the file of a baseline at once."""
    with open(os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
        json.dump(baseline, stream)
    os.replace(f"{path}.new", path)


def delete(path: str) -> None:
    """Delete the baseline: the next run compares everything."""
    if os.path.exists(path):
        os.unlink(path)


def has_digests(baseline: Mapping[str, Any]) -> bool:
    """Whether a baseline has digests by part; those of earlier releases have a list."""
    return isinstance(baseline.get("declared"), dict)


def replace_digests(
    path: str, declared: Mapping[str, str], others: Mapping[str, str], *, dry: bool
) -> dict[str, str]:
    """Replace digests of a baseline; return those before, none without a baseline.

    No digest is replaced if the baseline has another one than this run for one of the ``others``.
    With ``dry`` nothing is written.
    """
    baseline = read(path)
    if not has_digests(baseline):
        return {}
    before = dict(baseline["declared"])
    if not dry and all(before.get(part) == digest for part, digest in others.items()):
        write(path, {**baseline, "declared": {**before, **declared}})
    return before
