"""Plays of the collection, or copies of its playbooks, run on this machine for a test."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
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


def with_modules(folder: Path, texts: Mapping[str, str]) -> Path:
    """The same with modules that have other texts, by name; the directory of its modules."""
    home = folder / "ansible_collections/metal/kafka"
    modules = home / "plugins/modules"
    modules.mkdir(parents=True)
    (home / "roles").symlink_to(ROOT / "roles")
    for path in (ROOT / "plugins").iterdir():
        if path.is_dir() and path.name not in ("modules", "__pycache__"):
            (home / "plugins" / path.name).symlink_to(path)
    for path in (ROOT / "plugins/modules").glob("*.py"):
        if path.stem not in texts:
            (modules / path.name).symlink_to(path)
    for name, text in texts.items():
        (modules / f"{name}.py").write_text(text)
    return modules


def run(
    folder: Path, plays: list[dict[str, Any]], groups: dict[str, Any], *options: str
) -> tuple[int, str]:
    """Exit code and output of ``plays``; ``groups`` has variables by host, by group."""
    (folder / "plays.yml").write_text(json.dumps(plays))
    return ansible_playbook(folder, groups, *options, "plays.yml")


def ansible_playbook(
    folder: Path, groups: dict[str, Any], *words: str, **environment: str
) -> tuple[int, str]:
    """The same of playbooks that are in ``folder``, among other words of the command."""
    hosts = {
        name: {"hosts": {h: HERE | v for h, v in found.items()}} for name, found in groups.items()
    }
    (folder / "hosts.json").write_text(json.dumps(hosts))
    own = {"ANSIBLE_COLLECTIONS_PATH": str(folder), "ANSIBLE_GATHERING": "explicit"}
    done = subprocess.run(
        ["ansible-playbook", f"--inventory={folder}/hosts.json", *words],
        cwd=folder,
        env=os.environ | own | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr
