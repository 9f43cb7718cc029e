# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Text of a verb that applied a part of the site."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...module_utils._problems.messages import printable_line
from . import site_parts

UNKNOWN = "The last complete run is unknown: `make up` compares everything."


def part_screen(
    steps: Iterable[str],
    baselines: Sequence[Mapping[str, str]],
    declared: Mapping[str, str],
    recorded: Sequence[str],
    dry: bool,
) -> str:
    """Return changes in words, and which other declarations are not applied.

    ``steps``: messages of changes, planned ones if ``dry``. ``baselines``: digests by part that
    each machine had before this run, empty without a baseline. ``declared``: digests by part of
    this run's declarations, ``recorded``: the parts that it applied.
    """
    lines = [f"  {printable_line(step)}" for step in steps]
    if lines:
        lines.insert(0, "Would change:" if dry else "Changed:")
    else:
        lines.append("Nothing to change: the cluster is as declared.")
    return "\n".join([*lines, *_differing(baselines, declared, recorded)]) + "\n"


def _differing(
    baselines: Sequence[Mapping[str, str]], declared: Mapping[str, str], recorded: Sequence[str]
) -> Iterable[str]:
    if not all(baselines):
        return ["", UNKNOWN]
    others = [
        site_parts.NOUNS[part]
        for part, digest in declared.items()
        if part not in recorded and any(each.get(part) != digest for each in baselines)
    ]
    if not others:
        return []
    what = "; ".join(others)
    return [
        "",
        f"Not applied, changed since the last complete run: {what}. `make plan` lists them.",
    ]
