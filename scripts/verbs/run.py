"""One run of Ansible for a verb."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verbs.codes import Code
from verbs.values import inventories, named, refuse, unsafe, value

ROOT = Path(__file__).resolve().parents[2]
# Displays the screen of a playbook and what fails; the rest goes to a log.
ANSWER = "metal.kafka.answer"


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


def play(
    *playbooks: str,
    variables: Mapping[str, Any] | None = None,
    words: Sequence[str] = (),
    callback: str = "",
    inventory: str = "",
    environment: Mapping[str, str] | None = None,
) -> int:
    """Run playbooks, and return the exit code; ``callback`` is the one for standard output."""
    own = {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), **os.environ, **(environment or {})}
    if callback:
        own["ANSIBLE_STDOUT_CALLBACK"] = callback
    with tempfile.TemporaryDirectory(prefix="kafka-metal-") as folder:
        given = Path(folder, "values.yml")
        given.write_text(unsafe(variables or {}), encoding="ascii")
        command = [
            *ansible(inventory or value("INVENTORY") or "inventories/local"),
            *(["-e", f"@{given}"] if variables else []),
            *words,
            *(str(ROOT / f"playbooks/{name}.yml") for name in playbooks),
        ]
        return wait(command, env=own)


@dataclass(frozen=True)
class Site:
    """A cluster, and the control node's directory for it."""

    cluster: str
    state: Path


def site(*playbooks: str, whole: bool = True) -> Site:
    """The site, from playbooks that prepare its directory; where one of them fails this ends.

    Without ``whole`` it may fail once the directory is prepared.
    """
    with tempfile.TemporaryDirectory(prefix="kafka-metal-") as folder:
        where = Path(folder, "where.json")
        code = play(*playbooks, callback=ANSWER, environment={"KAFKA_METAL_WHERE": str(where)})
        if not where.exists() or (code and whole):
            sys.exit(code or Code.NOT_WELL)
        found = json.loads(where.read_text(encoding="utf-8"))
    return Site(found["cluster"], Path(found["state"]))
