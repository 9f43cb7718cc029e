"""A copy of this checkout, in which the commands of a page run."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from pages import Page

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 1800


class Checkout:
    """A copy of the sources, with a shell in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def copy(cls, folder: Path) -> "Checkout":
        """The sources as they are, committed or not, without anything that a run leaves."""
        tracked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(tracked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in filter(None, names.split("\0")):
            if (ROOT / name).exists():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target, follow_symlinks=False)
        subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
        return cls(folder)

    def page(self, name: str) -> Page:
        """A page of docs/start."""
        return Page(self.folder / "docs/start" / f"{name}.md")

    def run(
        self, command: str, folder: Path | None = None, env: Mapping[str, str] | None = None
    ) -> str:
        """Run a command as a user's shell does; returns its output, and fails with it.

        ``folder``: the working directory, by default the checkout. ``env``: further variables.
        """
        own = {key: value for key, value in os.environ.items() if not key.startswith("MOLECULE")}
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=folder or self.folder, env=own | dict(env or {}), capture_output=True, text=True,
            timeout=SECONDS, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        output = done.stdout + done.stderr
        assert done.returncode == 0, f"{command}\nends with {done.returncode}:\n{output[-3000:]}"
        return done.stdout

    def follow(self, name: str, more: str = "") -> dict[str, str]:
        """Run every command of a page; returns the output of each.

        ``more``: added to commands of make, such as ``INVENTORY=inventories/mine``.
        """
        return self.run_all(name, self.page(name).commands(), more)

    def run_all(
        self, name: str, commands: Iterator[tuple[int, str]], more: str = ""
    ) -> dict[str, str]:
        """Run commands of a page, with their line numbers; returns the output of each."""
        outputs = {}
        for number, command in commands:
            full = f"{command} {more}" if more and command.startswith("make ") else command
            print(f"docs/start/{name}.md:{number}: {full}", flush=True)
            outputs[command] = self.run(full)
        assert outputs
        return outputs
