"""Which files of a dataset that Spark streams into are committed.

A streaming query lists the files of each batch in ``_spark_metadata/<batch>``, every tenth time
all so far in ``<batch>.compact``. A file that is not listed was left by a batch that never ended,
and its rows are somewhere else too.
"""

import json
import re
from pathlib import Path
from urllib.parse import unquote

LOG = "_spark_metadata"
VERSION = "v1"
BATCH = re.compile(r"(\d+)(\.compact)?")


def data_files(root: Path) -> list[Path]:
    """Files of the dataset, sorted: the committed ones, or all that hold bytes without a log."""
    log = root / LOG
    return _committed(root, log) if log.is_dir() else _present(root)


def _present(root: Path) -> list[Path]:
    # A writer that died leaves files of no bytes; names with _ or . are no data by convention.
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
        raise ValueError(f"{path} is of version {version!r}; {VERSION!r} is understood")
    return [json.loads(line) for line in lines if line]


def _relative(uri: str) -> str:
    """File name and the ``column=value`` folders above it.

    The log has absolute paths as the writer saw them; the reader may see the dataset elsewhere.
    """
    parts = uri.split("/")
    start = len(parts) - 1
    while start > 0 and "=" in parts[start - 1]:
        start -= 1
    return "/".join(parts[start:])
