"""Run playbooks on the scenario's inventory."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
# The scenario's inventories, separated by commas; set by conftest.py.
inventory = ""


def state(cluster: str) -> Path:
    """Return the state directory of a cluster, which the scenarios set as kafka_metal_state."""
    return Path("~/.cache/kafka-metal/molecule").expanduser() / cluster


def command(
    name: str, *args: str, extra: Mapping[str, Any] | None = None, sources: str = ""
) -> list[str]:
    """Return the command line that runs ``playbooks/<name>.yml``; ``extra`` are variables."""
    inventories = [f"--inventory={path}" for path in (sources or inventory).split(",")]
    variables = ["-e", json.dumps(extra)] if extra else []
    return ["ansible-playbook", *inventories, f"playbooks/{name}.yml", *variables, *args]


def environment() -> dict[str, str]:
    """Return the environment of an operator's run, with Ansible's own output, without colours."""
    return {
        **os.environ,
        "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
        # Tests read the tasks that ran, and the recap.
        "ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.default",
        # molecule sets it.
        "ANSIBLE_FORCE_COLOR": "0",
    }


def run(
    name: str,
    *args: str,
    extra: Mapping[str, Any] | None = None,
    check: bool = True,
    seconds: float = 900,
    sources: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a playbook to its end; with ``check``, AssertionError with its output if it fails.

    ``sources``: inventories, separated by commas, in place of the scenario's.
    """
    done = subprocess.run(
        command(name, *args, extra=extra, sources=sources),
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0 or not check, f"{name} failed:\n{done.stdout[-6000:]}"
    return done


def start(name: str, *args: str, extra: Mapping[str, Any] | None = None) -> subprocess.Popen[str]:
    """Start a playbook in its own process group, which a test may kill; stdout is a pipe."""
    return subprocess.Popen(
        command(name, *args, extra=extra),
        cwd=ROOT,
        env={**environment(), "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def changes(done: subprocess.CompletedProcess[str]) -> int:
    """Return the number of changed tasks in the recap of a run."""
    recap = done.stdout.rpartition("PLAY RECAP")[2]
    return sum(
        int(word.removeprefix("changed=")) for word in recap.split() if word.startswith("changed=")
    )
