"""Run plays, or copies of the collection's playbooks, on this machine."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# Variables of every host: it is this machine, and no task runs as root.
HERE = {
    "ansible_connection": "local",
    "ansible_become": False,
    "ansible_python_interpreter": sys.executable,
}

# Tasks of a role's entry that print its name; the test sets `fails`, `away` and `state`.
ENTRY = """
- name: Name this entry
  ansible.builtin.set_fact:
    here: "{role}/{entry}/{{{{ service_action | default('') }}}}@{{{{ inventory_hostname }}}}"
    service_state: "{{{{ state }}}}"
    roll_restart_order: "{{{{ {{'rack': rack, 'together': true}} if state == 'stale' else {{}} }}}}"
    kafka_broker_previous: {{}}
- name: Lose the connection
  ansible.builtin.ping:
  when: [inventory_hostname in away, here is match(away_at)]
- name: Print
  ansible.builtin.debug: {{msg: "RAN {{{{ here }}}}"}}
- name: Fail
  ansible.builtin.fail: {{msg: failure of the test}}
  when: here is match(fails)
"""
# Defaults of the variables that these tasks use.
ENTRY_DEFAULTS = {"fails": "nothing", "away": [], "away_at": "", "state": "absent"}


def with_printing_roles(folder: Path, *real: str, modules: Mapping[str, str] | None = None) -> Path:
    """Copy the playbooks, and ``real`` files of roles; ``modules`` are replaced modules."""
    home = folder / "ansible_collections/metal/kafka"
    _link_plugins(home, modules or {})
    shutil.copytree(ROOT / "playbooks", home / "playbooks")
    for path in ROOT.glob("roles/*/*/*.yml"):
        name = path.relative_to(ROOT / "roles").as_posix()
        stub = home / "roles" / name
        stub.parent.mkdir(parents=True, exist_ok=True)
        if name in real:
            shutil.copy(path, stub)
        elif path.parent.name == "tasks":
            stub.write_text(ENTRY.format(role=name.split("/")[0], entry=path.stem))
    return home / "playbooks"


# Files of the role that reads the state of machines, and a module that reads only directories.
MACHINE_STATE_FILES = ("roll/tasks/status.yml", "roll/defaults/main.yml")
MACHINE_STATE = """#!/usr/bin/python
import json, os, sys
from ansible.module_utils.basic import AnsibleModule
names = ("cluster", "machine", "socket", "textfile_dir", "baseline", "connections", "declared")
options = dict.fromkeys(names, {"type": "str"})
module = AnsibleModule({**options, "directories": {"type": "list"}}, supports_check_mode=True)
module.exit_json(
    has_services=any(map(os.path.isdir, module.params["directories"])), engine_error="",
    containers=[], operation={"now": 0, "lock": None, "active": 0, "silenced_until": {}},
)
"""


def entries(output: str) -> list[str]:
    """Entries that ran, in order: role/entry/action@host."""
    lines = output.splitlines()
    return [line.split("RAN ", 1)[1].strip(' "') for line in lines if "RAN " in line]


# Variables of a broker that other hosts need; without keys.
BROKER = {
    "security_mode": "plain",
    "kafka_broker_id": 1,
    "kafka_broker_listeners": {
        name: {"bind": "127.0.0.1", "advertise": "127.0.0.1", "port": port}
        for name, port in (("CLIENTS", 9092), ("BROKERS", 9192))
    },
}


def with_collection(folder: Path) -> None:
    """Link the real collection below ``folder``, where ``run`` finds it."""
    home = folder / "ansible_collections/metal"
    home.mkdir(parents=True, exist_ok=True)
    (home / "kafka").symlink_to(ROOT)


def with_modules(folder: Path, texts: Mapping[str, str]) -> Path:
    """Link the collection with replaced modules, by name; return the directory of its modules."""
    home = folder / "ansible_collections/metal/kafka"
    modules = _link_plugins(home, texts)
    (home / "roles").symlink_to(ROOT / "roles")
    return modules


def _link_plugins(home: Path, texts: Mapping[str, str]) -> Path:
    """Link the plugins into ``home``, with replaced modules, by name; return their directory."""
    modules = home / "plugins/modules"
    modules.mkdir(parents=True)
    for path in (ROOT / "plugins").iterdir():
        if path.is_dir() and path.name not in ("modules", "__pycache__"):
            (home / "plugins" / path.name).symlink_to(path)
    for path in (ROOT / "plugins/modules").glob("*.py"):
        if path.stem not in texts:
            (modules / path.name).symlink_to(path)
    for name, text in texts.items():
        (modules / f"{name}.py").write_text(text)
    return modules


def execute_module(name: str, arguments: Mapping[str, Any], check: bool = False) -> dict[str, Any]:
    """Run a module of the collection as on a machine; return its result."""
    given = {"_ansible_check_mode": check, "_ansible_remote_tmp": "/tmp", **arguments}
    done = subprocess.run(
        [sys.executable, "-m", f"ansible_collections.metal.kafka.plugins.modules.{name}"],
        input=json.dumps({"ANSIBLE_MODULE_ARGS": given}),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def with_locks(folder: Path) -> None:
    """Link the collection, with locks of clusters in ``folder`` / locks."""
    text = (ROOT / "plugins/modules/cluster_lock.py").read_text()
    own = text.replace("operation_lock.DIRECTORY", repr(f"{folder}/locks"))
    assert own != text
    with_modules(folder, {"cluster_lock": own})


def run(
    folder: Path, plays: list[dict[str, Any]], groups: dict[str, Any], *options: str
) -> tuple[int, str]:
    """Run ``plays``; return exit code and output. ``groups`` has variables by host, by group."""
    (folder / "plays.yml").write_text(json.dumps(plays))
    return ansible_playbook(folder, groups, *options, "plays.yml")


def ansible_playbook(
    folder: Path, groups: dict[str, Any], *options: str, **environment: str
) -> tuple[int, str]:
    """Run playbooks in ``folder`` with these arguments; return exit code and output."""
    hosts = {
        name: {"hosts": {h: HERE | v for h, v in found.items()}} for name, found in groups.items()
    }
    (folder / "hosts.json").write_text(json.dumps(hosts))
    settings = {
        "ANSIBLE_COLLECTIONS_PATH": str(folder),
        "ANSIBLE_GATHERING": "explicit",
        # Else each task reads the collection's plugins again.
        "ANSIBLE_CALLBACKS_ENABLED": "metal.kafka.preload",
    }
    done = subprocess.run(
        ["ansible-playbook", f"--inventory={folder}/hosts.json", *options],
        cwd=folder,
        env=os.environ | settings | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr
