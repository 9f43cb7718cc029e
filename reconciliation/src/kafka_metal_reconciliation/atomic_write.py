"""Atomic writes: after a crash the file is either old or complete."""

import os
from pathlib import Path


def write_atomically(path: Path, text: str) -> None:
    """Replace the content of ``path`` by ``text`` atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
