"""The committed files of a dataset that Spark Structured Streaming writes.

A query lists the files of each batch in ``_spark_metadata/<batch>``; every tenth log file,
``<batch>.compact``, lists all so far. Unlisted files are from batches that failed; their rows
are in other files too.
"""

import json
import re
from pathlib import Path
from urllib.parse import unquote

LOG = "_spark_metadata"
VERSION = "v1"
BATCH = re.compile(r"(\d+)(\.compact)?")


def data_files(root: Path) -> list[Path]:
    """Return the committed files, sorted; without a log, all files that are not empty."""
    log = root / LOG
    return _committed(root, log) if log.is_dir() else _present(root)


def _present(root: Path) -> list[Path]:
    # A killed writer leaves empty files; by convention names with _ or . are not data.
    return sorted(
        path
        for path in root.rglob("*.parquet")
        if path.stat().st_size > 0
        and not any(part.startswith(("_", ".")) for part in path.relative_to(root).parts)
    )


def _committed(root: Path, log: Path) -> list[Path]:
    batches = {}
    for path in log.iterdir():
        if match := BATCH.fullmatch(path.name):
            batches[path] = (int(match[1]), match[2] is not None)
    compact = max((number for number, whole in batches.values() if whole), default=-1)
    files: dict[Path, None] = {}
    for path, (number, whole) in sorted(batches.items(), key=lambda item: item[1]):
        if number > compact or (whole and number == compact):
            for entry in _entries(path):
                file = root / _relative(unquote(entry["path"]))
                if entry.get("action", "add") == "delete":
                    files.pop(file, None)
                else:
                    files[file] = None
    return sorted(files)


def _entries(path: Path) -> list[dict[str, str]]:
    version, *lines = path.read_text(encoding="utf-8").splitlines()
    if version != VERSION:
        raise ValueError(f"{path} has version {version!r}; supported is {VERSION!r}")
    return [json.loads(line) for line in lines if line]


def _relative(uri: str) -> str:
    """Return the file name with the ``column=value`` folders above it.

    The log has absolute paths of the writer; the reader may mount the dataset elsewhere.
    """
    parts = uri.split("/")
    start = len(parts) - 1
    while start > 0 and "=" in parts[start - 1]:
        start -= 1
    return "/".join(parts[start:])
