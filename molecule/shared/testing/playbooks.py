"""The operator's verbs, run against the scenario's inventory as an operator would."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
# The scenario's inventories, by comma; conftest.py writes it down.
inventory = ""


def state(cluster: str) -> Path:
    """The state directory of a cluster, as kafka_metal_state of the scenarios says."""
    return Path("~/.cache/kafka-metal/molecule").expanduser() / cluster


def command(
    name: str, *args: str, extra: Mapping[str, Any] | None = None, sources: str = ""
) -> list[str]:
    """The words that run ``playbooks/<name>.yml``; ``extra`` are variables."""
    inventories = [f"--inventory={path}" for path in (sources or inventory).split(",")]
    variables = ["-e", json.dumps(extra)] if extra else []
    return ["ansible-playbook", *inventories, f"playbooks/{name}.yml", *variables, *args]


def environment() -> dict[str, str]:
    """The settings a person's own run has, and plain text, whatever molecule asks for."""
    return {
        **os.environ,
        "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
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
    """Run a playbook to its end; with ``check``, its failure is the test's, with what it said.

    ``sources`` is the inventory of another cluster than the scenario's.
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
    """Begin a playbook in a process group of its own, which a test may kill; stdout is a pipe."""
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
    """Tasks that changed something, as the recap of the run counts them."""
    recap = done.stdout.rpartition("PLAY RECAP")[2]
    return sum(
        int(word.removeprefix("changed=")) for word in recap.split() if word.startswith("changed=")
    )
