"""One run of Ansible for a verb, which reports where it has written its answers."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verbs.values import inventories, named, refuse, unsafe, value

ROOT = Path(__file__).resolve().parents[2]


def ansible(inventory: str = "inventories/local") -> list[str]:
    """The command in front of the playbooks."""
    try:
        said = shlex.split(value("ARGS"))
    except ValueError as error:
        refuse(f"ARGS: {error}; allowed: words for ansible-playbook, quoted as in a shell")
    words = [f"--inventory={each}" for each in inventories(inventory)]
    if os.getuid() != 0 and not quiet_sudo():
        # Asks once, if sudo needs a password.
        words.append("--ask-become-pass")
    if "CLUSTER" in os.environ:
        words += ["-e", json.dumps({"cluster_name": named("CLUSTER")})]
    return ["ansible-playbook", *words, *said]


def quiet_sudo() -> bool:
    """Whether there is a sudo that asks for no password."""
    words = ["sudo", "-n", "true"]
    return bool(shutil.which("sudo")) and not subprocess.run(words, capture_output=True).returncode


def wait(command: Sequence[str], **options: Any) -> int:
    """Run a program to its end, and send it the signals of this process."""
    child = subprocess.Popen(command, **options)

    def hand_on(number: int, _: object) -> None:
        # On Ctrl-C the terminal signals the program as well.
        if number != signal.SIGINT:
            child.send_signal(number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, hand_on) for number in numbers}
    code = child.wait()
    for number, handler in before.items():
        signal.signal(number, handler)
    return 128 - code if code < 0 else code


@dataclass
class Run:
    """One run of Ansible, and where it has written its answers."""

    verb: str
    folder: Path
    state: Path = Path("/nonexistent")
    cluster: str = ""
    # Seconds since 1970. Files count time in steps of some milliseconds.
    began: float = field(default_factory=lambda: time.time() - 0.1)

    def play(
        self,
        *playbooks: str,
        variables: Mapping[str, Any] | None = None,
        words: Sequence[str] = (),
        quiet: bool = False,
        inventory: str | None = None,
        prepare: bool = True,
    ) -> int:
        """Run playbooks; ``quiet`` writes Ansible's output to a file, for when it fails.

        Without ``prepare`` no state directory is made or reported.
        """
        given = self.folder / "values.yml"
        given.write_text(unsafe(variables or {}), encoding="ascii")
        where = self.folder / "where.json"
        first = ["internal_state"] if prepare else []
        command = [
            *ansible(inventory or value("INVENTORY") or "inventories/local"),
            *(["-e", f"@{given}"] if variables else []),
            *words,
            *(str(ROOT / f"playbooks/{name}.yml") for name in (*first, *playbooks)),
        ]
        environment = {
            "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
            **os.environ,
            "KAFKA_METAL_WHERE": str(where),
        }
        log = self.folder / "log"
        if quiet:
            with log.open("w") as stream:
                code = wait(command, env=environment, stdout=stream, stderr=subprocess.STDOUT)
        else:
            code = wait(command, env=environment)
        if where.exists():
            found = json.loads(where.read_text(encoding="utf-8"))
            self.state, self.cluster = Path(found["state"]), found["cluster"]
            if quiet and self.state.is_dir():
                (self.state / f"{self.verb}.log").write_bytes(log.read_bytes())
        elif code == 0 and prepare:
            print("make: the inventory has no hosts, nothing was done", file=sys.stderr)
            return 2
        return code

    def said(self) -> None:
        """Print Ansible's output."""
        sys.stdout.write((self.folder / "log").read_text(encoding="utf-8", errors="replace"))

    def quietly(self, *playbooks: str, **options: Any) -> None:
        """Run playbooks, print their output only if they fail, and exit then."""
        if self.play(*playbooks, quiet=True, **options):
            self.said()
            sys.exit(2)

    def file(self, name: str) -> Path | None:
        """A file of the state directory that this run has written."""
        path = self.state / name
        return path if path.exists() and path.stat().st_mtime >= self.began else None
