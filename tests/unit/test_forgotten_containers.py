"""A container that nothing declares any more leaves nothing of its name behind on its machine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# In place of the engine, with the containers of a cluster.
FAKE = """#!/usr/bin/python
DOCUMENTATION = "{module: fake, short_description: Answers in place of the engine, options: {}}"
from ansible.module_utils.basic import AnsibleModule
OPTIONS = {name: {"type": "raw"} for name in %(options)r}
AnsibleModule(OPTIONS, supports_check_mode=True).exit_json(changed=False, containers=%(found)r)
"""
LISTED = ("containers", "containers_all", "containers_filters", "verbose_output")
REMOVED = ("name", "state", "stop_timeout", "force_kill")
PLACES = ("etc/{}/a", "log/{}/log", "etc/.last-good/{}.json", "etc/.as-left/{}")
PLAYS = {
    "withdrawn": {
        "name": "prod",
        "hosts": "localhost",
        "tasks": [{"include_role": {"name": "metal.kafka.pipeline", "tasks_from": "undeclared"}}],
    },
    "destroyed": {"import_playbook": str(ROOT / "playbooks/internal_undeclared.yml")},
}


def container(name):
    labels = {"kafka-metal.instance": name, "kafka-metal.cluster": "prod"}
    return {"Names": [f"/prod-{name}"], "Labels": labels, "State": "running"}


@pytest.fixture
def machine(tmp_path):
    """Run a play on a machine that keeps files of each container; the files that are left."""

    def run(play, *names):
        modules = tmp_path / "ansible_collections/community/docker/plugins/modules"
        modules.mkdir(parents=True)
        found = [container(name) for name in names]
        for module, options in (("docker_host_info", LISTED), ("docker_container", REMOVED)):
            (modules / f"{module}.py").write_text(FAKE % {"options": options, "found": found})
        home = tmp_path / "ansible_collections/metal"
        home.mkdir(parents=True)
        (home / "kafka").symlink_to(ROOT)
        for name in names:
            for place in PLACES:
                path = tmp_path / place.format(f"prod-{name}")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
        inventory = {
            "metal": {
                "hosts": {"localhost": {"ansible_connection": "local", "ansible_become": False}},
                "vars": {
                    **{"cluster_name": "prod", "pipeline_pipelines": {"a": {}, "b": {}}},
                    **{"service_config_root": f"{tmp_path}/etc"},
                    **{"service_log_root": f"{tmp_path}/log"},
                },
            }
        }
        (tmp_path / "hosts.json").write_text(json.dumps(inventory))
        (tmp_path / "play.yml").write_text(json.dumps([PLAYS[play]]))
        done = subprocess.run(
            ["ansible-playbook", f"--inventory={tmp_path}/hosts.json", f"{tmp_path}/play.yml"],
            cwd=tmp_path,
            env=os.environ
            | {"ANSIBLE_COLLECTIONS_PATH": str(tmp_path), "ANSIBLE_GATHERING": "explicit"}
            | {"ANSIBLE_PYTHON_INTERPRETER": sys.executable},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        kept = {
            name
            for name in names
            for place in PLACES
            if (tmp_path / place.format(f"prod-{name}")).exists()
        }
        return kept

    return run


def test_a_driver_that_was_withdrawn(machine):
    drivers = ["pipeline-a", "pipeline-b", "pipeline-gone"]
    assert machine("withdrawn", *drivers) == {"pipeline-a", "pipeline-b"}


def test_whatever_carries_the_name_of_a_cluster_that_is_deleted(machine):
    assert machine("destroyed", "pipeline-a", "kafka9") == set()
