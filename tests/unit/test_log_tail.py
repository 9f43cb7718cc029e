"""The end of a service's log: from its container, or from its log file without one."""

import json
import shutil

import pytest
from plays import ROOT, run, with_collection

ENGINE = """#!/usr/bin/python
# WANT_JSON
print({result!r})
"""
DEAD = {"failed": True, "msg": "the engine does not respond"}


@pytest.mark.parametrize(
    ("service", "read"),
    [
        ("kafka1", {"node1": "log of a.b-kafka1", "node2": "log of a.b-kafka1"}),
        ("exporter@node2", {"node1": "none", "node2": "log of a.b-exporter3"}),
        ("kafka2", {"node1": "none", "node2": "none"}),
    ],
)
def test_the_log_file_is_read_if_the_engine_does_not_respond(tmp_path, service, read):
    with_collection(tmp_path)
    docker = tmp_path / "ansible_collections/community/docker/plugins/modules"
    docker.mkdir(parents=True)
    (docker / "docker_host_info.py").write_text(ENGINE.format(result=json.dumps(DEAD)))
    shutil.copy(ROOT / "playbooks/internal_log_tail.yml", tmp_path)
    names = ("a.b-kafka1", "a.b-kafka12", "axb-kafka1", "a.b-exporter3", "axb-exporter1")
    for name in names:
        (tmp_path / "logs" / name).mkdir(parents=True)
        (tmp_path / "logs" / name / "log").write_text(f"log of {name}\n")
    given = {
        "cluster_name": "a.b",
        "service_log_root": str(tmp_path / "logs"),
        "logs_service": service,
    }
    text = "RESULT {{ inventory_hostname }}={{ logs_read.stdout | default('none') }}"
    show = {
        "hosts": "metal",
        "gather_facts": False,
        "tasks": [{"ansible.builtin.debug": {"msg": text}}],
    }
    plays = [{"import_playbook": "internal_log_tail.yml"}, show]
    code, output = run(tmp_path, plays, {"metal": {"node1": given, "node2": given}})
    assert code == 0, output
    lines = [
        line.split("RESULT ")[1].strip(' "') for line in output.splitlines() if "RESULT" in line
    ]
    assert dict(line.split("=") for line in lines) == read
