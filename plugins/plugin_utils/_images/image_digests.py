# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Digests of everything that goes into an image."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path

# What tools leave behind beside a source; it never gets into an image.
LITTER = (
    "__pycache__",
    "*.pyc",
    "*.egg-info",
    ".DS_Store",
    ".*_cache",
    ".venv",
    "build",
    "dist",
    "*~",
    ".*.sw?",
)


def is_litter(name: str) -> bool:
    """Whether a file or directory of this name is left behind by a tool."""
    return any(fnmatch(name, pattern) for pattern in LITTER)


def files_under(path: Path) -> Iterator[Path]:
    """Files of ``path`` (itself when it is a file), sorted, without litter."""
    if path.is_file():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not is_litter(name)]
        for name in names:
            if not is_litter(name):
                yield Path(folder, name)


def digest_of_files(root: Path, path: Path) -> str:
    """Hash over path, executable bit and content of every file under ``path``."""
    total = hashlib.sha256()
    for file in sorted(files_under(path), key=lambda found: found.relative_to(root).as_posix()):
        executable = "x" if file.stat().st_mode & 0o100 else "-"
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        total.update(f"{file.relative_to(root).as_posix()} {executable} {content}\n".encode())
    return total.hexdigest()


def digest_of_image(
    root: Path, folder: Path, arguments: Mapping[str, str], sources: tuple[str, ...]
) -> str:
    """Hash of everything that goes into the image whose recipe is ``folder``.

    ``arguments`` hold the versions it uses and the references of its parents without registry.
    """
    total = hashlib.sha256()
    total.update(digest_of_files(root, folder).encode())
    for key in sorted(arguments):
        total.update(f"{key}={arguments[key]}\n".encode())
    for source in sorted(sources):
        total.update(f"{source} {digest_of_files(root, root / source)}\n".encode())
    return total.hexdigest()
