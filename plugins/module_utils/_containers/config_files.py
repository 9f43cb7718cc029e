# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Configuration files of a service: replaced atomically, and listed in a plan."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .._common.diff import file_steps
from .._host import owned_directories
from .._host.data_ownership import MARKER


def read(path: str) -> str | None:
    """Return the text of ``path``, or None when there is no such file.

    Damaged bytes are in it as escapes, so that the text differs from a declared one.
    """
    try:
        with open(path, encoding="utf-8", errors="backslashreplace") as stream:
            return stream.read()
    except FileNotFoundError:
        return None


def mode_of(path: str) -> int:
    """Return the permission bits of ``path``."""
    return os.stat(path).st_mode & 0o7777


def is_as_declared(path: str, content: str, mode: int, owner: int, group: int) -> bool:
    """Whether a file has this content, mode and owner."""
    return (
        read(path) == content
        and mode_of(path) == mode
        and owned_directories.is_owned_by(path, owner, group)
    )


def write(path: str, content: str, mode: int, owner: int, group: int) -> None:
    """Replace ``path`` atomically: a reader gets either the old file or the new one."""
    temporary = f"{path}.new"
    created = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with open(created, "w", encoding="utf-8") as stream:
        stream.write(content)
    os.chmod(temporary, mode)
    os.chown(temporary, owner, group)
    os.replace(temporary, path)


def converge(
    spec: Mapping[str, Any], ids: tuple[int, int], dry: bool, outcome: owned_directories.Outcome
) -> None:
    """Write the files of a service with owner and mode; remove others except those to keep."""
    folder = os.path.basename(spec["dest"])
    secrets = {entry["name"] for entry in spec["secret_files"]}
    for entry in spec["files"] + spec["secret_files"]:
        path, mode = os.path.join(spec["dest"], entry["name"]), int(entry["mode"], 8)
        if is_as_declared(path, entry["content"], mode, *ids):
            continue
        before = read(path)
        same = before == entry["content"]
        outcome.differs.append(path)
        name = os.path.join(folder, entry["name"])
        if same:
            outcome.steps.append(f"{name} gets its owner and mode")
        elif entry["name"] in secrets:
            outcome.steps.append(f"{name} is written")
        else:
            outcome.steps += file_steps(name, before, entry["content"])
            outcome.diffs.append(
                {
                    "before": before or "",
                    "after": entry["content"],
                    "before_header": path,
                    "after_header": path,
                }
            )
        if not dry:
            write(path, entry["content"], mode, *ids)
    named = {entry["name"] for entry in spec["files"]} | secrets | {*spec["keep"], MARKER}
    present = os.listdir(spec["dest"]) if os.path.isdir(spec["dest"]) else []
    for name in sorted(set(present) - named):
        path = os.path.join(spec["dest"], name)
        outcome.differs.append(path)
        outcome.steps.append(f"{os.path.join(folder, name)} is removed")
        if not dry:
            os.unlink(path)
