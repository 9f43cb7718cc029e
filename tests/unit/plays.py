"""Plays of the collection, or copies of its playbooks, run on this machine for a test."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# Of every host: it is this machine, and nothing is done as root.
HERE = {
    "ansible_connection": "local",
    "ansible_become": False,
    "ansible_python_interpreter": sys.executable,
}


def with_collection(folder: Path) -> None:
    """The real collection below ``folder``, where ``run`` looks for it."""
    home = folder / "ansible_collections/metal"
    home.mkdir(parents=True, exist_ok=True)
    (home / "kafka").symlink_to(ROOT)


def run(
    folder: Path, plays: list[dict[str, Any]], groups: dict[str, Any], *options: str
) -> tuple[int, str]:
    """Exit code and output of ``plays``; ``groups`` has variables by host, by group."""
    hosts = {
        name: {"hosts": {h: HERE | v for h, v in found.items()}} for name, found in groups.items()
    }
    (folder / "hosts.json").write_text(json.dumps(hosts))
    (folder / "plays.yml").write_text(json.dumps(plays))
    done = subprocess.run(
        ["ansible-playbook", f"--inventory={folder}/hosts.json", *options, "plays.yml"],
        cwd=folder,
        env=os.environ | {"ANSIBLE_COLLECTIONS_PATH": str(folder), "ANSIBLE_GATHERING": "explicit"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr
