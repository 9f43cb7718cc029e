"""A separate file system for the log dirs in an image file, mounted for one knob."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Mapping

from .command import run

SIZE = 8 * 2**30


class Storage:
    """Mounts an image file over the data directory."""

    def __init__(self, data: Path, image: Path) -> None:
        """Store the paths; remove the mount of an earlier run."""
        self.data = data
        self.image = image
        self.unmount()

    def mount(self, spec: Mapping[str, str]) -> None:
        """Create the file system ``spec['fs']`` and mount it with ``spec['options']``."""
        # A sparse file: it uses only the space of written data.
        with self.image.open("wb") as image:
            image.truncate(SIZE)
        force = "-f" if spec["fs"] == "xfs" else "-F"
        run([f"mkfs.{spec['fs']}", "-q", force, str(self.image)])
        options = ",".join(part for part in ("loop", spec.get("options", "")) if part)
        # mount allocates a loop device, which umount releases.
        run(["mount", "-t", spec["fs"], "-o", options, str(self.image), str(self.data)])

    def unmount(self) -> None:
        """Unmount and delete the image."""
        while os.path.ismount(self.data):
            run(["umount", str(self.data)])
        self.image.unlink(missing_ok=True)
