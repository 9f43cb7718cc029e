"""Plugins of a run are loaded once, not in the process of each task."""

import json
from pathlib import Path

from plays import ROOT, ansible_playbook, with_collection

# Python runs it at its start: each forked process records the modules that it inherited.
RECORD = """
import json, os, pathlib, sys
run = os.getpid()

def record():
    if os.getppid() == run:
        names = [name for name in sys.modules if name.startswith("ansible_collections.metal.kafka")]
        pathlib.Path({folder!r}, str(os.getpid())).write_text(json.dumps(names))

os.register_at_fork(after_in_child=record)
"""


def test_forked_processes_inherit_every_lookup_and_filter(tmp_path: Path):
    records, start = tmp_path / "records", tmp_path / "start"
    records.mkdir()
    start.mkdir()
    (start / "sitecustomize.py").write_text(RECORD.format(folder=str(records)))
    with_collection(tmp_path)
    play = {"hosts": "all", "gather_facts": False, "tasks": [{"ansible.builtin.debug": {}}]}
    (tmp_path / "plays.yml").write_text(json.dumps([play]))

    code, output = ansible_playbook(
        tmp_path,
        {"kafka": {"k1": {}, "k2": {}}},
        "plays.yml",
        PYTHONPATH=str(start),
        ANSIBLE_CONFIG=str(ROOT / "ansible.cfg"),
    )

    assert code == 0, output
    expected = {
        f"ansible_collections.metal.kafka.plugins.{kind}.{file.stem}"
        for kind in ("lookup", "filter")
        for file in (ROOT / "plugins" / kind).glob("[a-z]*.py")
    }
    found = [set(json.loads(file.read_text())) for file in records.iterdir()]
    assert len(found) >= 2
    for each in found:
        assert expected <= each
