# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Archive of a Python package of the control node, for hosts without a package manager."""

from __future__ import annotations

import hashlib
import importlib.util
import zipfile
from pathlib import Path
from typing import Any

# Suffixes of the files that importing modules need.
SUFFIXES = (".py", ".json")


def write(package: str, target: Path) -> dict[str, Any]:
    """Write ``target`` and return its ``path`` and ``digest`` (SHA-256, in hex).

    The archive is reproducible: one version of a package always gives the same file. Raises
    LookupError if this Python lacks the package.
    """
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise LookupError(f"the control node's Python lacks the package {package}")
    source = Path(next(iter(found.submodule_search_locations)))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(each for each in source.rglob("*") if each.suffix in SUFFIXES):
            # Without modification time, for a reproducible archive.
            entry = zipfile.ZipInfo(str(path.relative_to(source.parent)))
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return {"path": str(target), "digest": hashlib.sha256(target.read_bytes()).hexdigest()}
