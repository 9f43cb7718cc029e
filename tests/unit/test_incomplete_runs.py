"""Declarations that are taken back after a run that failed are applied, not taken for applied."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STUB = "- name: Print\n  ansible.builtin.debug: {msg: ran}\n"
FAILS = STUB + "- name: Fail\n  ansible.builtin.fail: {msg: as asked}\n"


@pytest.fixture
def note_is_kept(tmp_path):
    """Apply content whose last step fails; whether the note of the run before is still there."""
    home = tmp_path / "ansible_collections/metal/kafka"
    for name, text in (("main", FAILS), ("recall", STUB), ("record", STUB)):
        path = home / f"roles/kafka_content/tasks/{name}.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (home / "plugins").symlink_to(ROOT / "plugins")
    note = tmp_path / "note.json"
    note.write_text("{}")

    def apply(**variables):
        groups = {name: {"hosts": {"node1": {}}} for name in ("metal", "kafka")}
        given = {
            **{"ansible_connection": "local", "ansible_become": False, "site_note": str(note)},
            **{"ansible_python_interpreter": sys.executable, "kafka_operator_bootstrap": []},
        }
        (tmp_path / "hosts.json").write_text(
            json.dumps({"all": {"vars": given | variables, "children": groups}})
        )
        # As in a whole run, where a play before has found out whether there is anything to compare.
        first = {"hosts": "all", "tasks": [{"ansible.builtin.debug": {"msg": "first"}}]}
        shutil.copy(ROOT / "playbooks/topics.yml", tmp_path)
        plays = [first, {"import_playbook": "topics.yml"}]
        (tmp_path / "site.yml").write_text(json.dumps(plays))
        done = subprocess.run(
            ["ansible-playbook", f"--inventory={tmp_path}/hosts.json", "site.yml"],
            cwd=tmp_path,
            env=os.environ
            | {"ANSIBLE_COLLECTIONS_PATH": str(tmp_path), "ANSIBLE_GATHERING": "explicit"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert "as asked" in done.stdout + done.stderr, done.stdout + done.stderr
        assert done.returncode != 0
        return note.exists()

    return apply


def test_after_a_run_that_fails_the_next_one_compares_everything(note_is_kept):
    assert not note_is_kept()


def test_a_site_that_is_as_the_last_run_left_it_keeps_its_note(note_is_kept):
    assert note_is_kept(site_at_rest=True)
