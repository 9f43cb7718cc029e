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
# Callback that prints the screen of a playbook and its failures; other output goes to a log file.
SCREEN = "metal.kafka.screen_output"


def ansible(inventory: str = "inventories/local") -> list[str]:
    """Return the start of the ansible-playbook command, without playbooks."""
    try:
        arguments = shlex.split(value("ARGS"))
    except ValueError as error:
        refuse(f"ARGS: {error}; allowed: arguments of ansible-playbook, quoted as in a shell")
    options = [f"--inventory={each}" for each in inventories(inventory)]
    if os.getuid() != 0 and not can_sudo_without_password():
        # sudo's password is asked for once.
        options.append("--ask-become-pass")
    if "CLUSTER" in os.environ:
        options += ["-e", json.dumps({"cluster_name": named("CLUSTER")})]
    return ["ansible-playbook", *options, *arguments]


def can_sudo_without_password() -> bool:
    """Whether sudo is installed and needs no password."""
    command = ["sudo", "-n", "true"]
    return (
        bool(shutil.which("sudo")) and not subprocess.run(command, capture_output=True).returncode
    )


def wait(command: Sequence[str], **options: Any) -> int:
    """Run a command to its end, forward signals to it, and return its exit code.

    A command that was ended by a signal has the code 128 plus its number.
    """
    child = subprocess.Popen(command, **options)

    def forward(number: int, _: object) -> None:
        # On Ctrl-C, the terminal signals the command as well.
        if number != signal.SIGINT:
            child.send_signal(number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, forward) for number in numbers}
    code = child.wait()
    for number, handler in before.items():
        signal.signal(number, handler)
    return 128 - code if code < 0 else code


def play(
    *playbooks: str,
    variables: Mapping[str, Any] | None = None,
    options: Sequence[str] = (),
    callback: str = "",
    inventory: str = "",
    environment: Mapping[str, str] | None = None,
) -> int:
    """Run playbooks and return the exit code; ``callback`` prints to standard output."""
    settings = {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), **os.environ, **(environment or {})}
    if callback:
        settings["ANSIBLE_STDOUT_CALLBACK"] = callback
    with tempfile.TemporaryDirectory(prefix="kafka-metal-") as folder:
        values = Path(folder, "values.yml")
        values.write_text(unsafe(variables or {}), encoding="ascii")
        command = [
            *ansible(inventory or value("INVENTORY") or "inventories/local"),
            *(["-e", f"@{values}"] if variables else []),
            *options,
            *(str(ROOT / f"playbooks/{name}.yml") for name in playbooks),
        ]
        return wait(command, env=settings)


@dataclass(frozen=True)
class Site:
    """A cluster, and its state directory on the control node."""

    cluster: str
    state: Path


def site(*playbooks: str, whole: bool = True) -> Site:
    """Run playbooks that prepare the state directory, and return the site; exit if one fails.

    Without ``whole``, playbooks after the preparation may fail.
    """
    with tempfile.TemporaryDirectory(prefix="kafka-metal-") as folder:
        site = Path(folder, "site.json")
        code = play(*playbooks, callback=SCREEN, environment={"KAFKA_METAL_SITE_FILE": str(site)})
        if not site.exists() or (code and whole):
            sys.exit(code or Code.NOT_WELL)
        found = json.loads(site.read_text(encoding="utf-8"))
    return Site(found["cluster"], Path(found["state"]))
