# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Digests of the inputs of an image."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path

# Files that tools create in source directories, and that are no part of images.
TEMPORARY = (
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


def is_temporary(name: str) -> bool:
    """Whether the file or directory is a temporary one of a tool, by its name."""
    return any(fnmatch(name, pattern) for pattern in TEMPORARY)


def files_under(path: Path) -> Iterator[Path]:
    """Yield files under ``path`` (or the file ``path``) without temporary files."""
    if path.is_file():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not is_temporary(name)]
        for name in names:
            if not is_temporary(name):
                yield Path(folder, name)


def digest_of_files(root: Path, path: Path) -> str:
    """Hash of path, executable bit and content of each file under ``path``."""
    total = hashlib.sha256()
    for file in sorted(files_under(path), key=lambda found: found.relative_to(root).as_posix()):
        executable = "x" if file.stat().st_mode & 0o100 else "-"
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        total.update(f"{file.relative_to(root).as_posix()} {executable} {content}\n".encode())
    return total.hexdigest()


def digest_of_image(
    root: Path, folder: Path, arguments: Mapping[str, str], sources: tuple[str, ...]
) -> str:
    """Hash of all inputs of the image whose recipe is ``folder``.

    ``arguments`` have the versions and the references of its parents without registry.
    """
    total = hashlib.sha256()
    total.update(digest_of_files(root, folder).encode())
    for key in sorted(arguments):
        total.update(f"{key}={arguments[key]}\n".encode())
    for source in sorted(sources):
        total.update(f"{source} {digest_of_files(root, root / source)}\n".encode())
    return total.hexdigest()
