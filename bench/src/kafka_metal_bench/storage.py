"""A file system of its own for the log dirs: an image file, made and mounted for one knob."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Mapping

from .command import run

SIZE = 8 * 2**30


class Storage:
    """Mounts over the data directory; only what it mounted is unmounted."""

    def __init__(self, data: Path, image: Path) -> None:
        """Remember the places; an earlier run's mount is taken away."""
        self.data = data
        self.image = image
        self.unmount()

    def mount(self, spec: Mapping[str, str]) -> None:
        """Make ``spec['fs']`` (xfs, ext4) with ``spec['options']`` and mount it."""
        # Sparse: it takes what is written.
        with self.image.open("wb") as image:
            image.truncate(SIZE)
        force = "-f" if spec["fs"] == "xfs" else "-F"
        run([f"mkfs.{spec['fs']}", "-q", force, str(self.image)])
        options = ",".join(part for part in ("loop", spec.get("options", "")) if part)
        # mount finds a free loop device and frees it again at unmount.
        run(["mount", "-t", spec["fs"], "-o", options, str(self.image), str(self.data)])

    def unmount(self) -> None:
        """Take it away again."""
        while os.path.ismount(self.data):
            run(["umount", str(self.data)])
        self.image.unlink(missing_ok=True)
