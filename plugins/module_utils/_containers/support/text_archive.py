# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Archives of texts: those of each host, and the joined one for the support."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .redaction import redact


def write(path: Path, texts: Mapping[str, str], moment: float) -> None:
    """Write texts by name to a tar.gz with mode 0600, atomically; ``moment`` is their mtime."""
    draft = path.with_name(f".{path.name}.draft")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as raw, tarfile.open(fileobj=raw, mode="w:gz") as archive:
        for name, text in sorted(texts.items()):
            content = text.encode(errors="replace")
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.mtime = len(content), 0o600, int(moment)
            archive.addfile(member, io.BytesIO(content))
    draft.replace(path)


def read(path: Path) -> Iterator[tuple[str, str]]:
    """Names and texts of all members."""
    with tarfile.open(path) as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content is not None:
                yield member.name, content.read().decode(errors="replace")


def redact_sources(sources: Iterable[Path], secrets: Iterable[str]) -> dict[str, str]:
    """Return the redacted texts of all sources; each name begins with its source's directory."""
    known = list(secrets)
    return {
        f"{source.parent.name}/{name}": redact(text, known)
        for source in sources
        for name, text in read(source)
    }
