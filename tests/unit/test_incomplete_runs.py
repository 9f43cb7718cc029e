"""Declarations that are taken back after a run that failed are applied, not taken for applied."""

import shutil

import pytest
from plays import ROOT, run

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
    # Without the variables beside it, which know the whole site.
    shutil.copy(ROOT / "playbooks/topics.yml", tmp_path)
    note = tmp_path / "note.json"
    note.write_text("{}")

    def apply(**variables):
        given = {"site_note": str(note), "kafka_operator_bootstrap": [], **variables}
        # As in a whole run, where a play before has found out whether there is anything to compare.
        first = {"hosts": "all", "tasks": [{"ansible.builtin.debug": {"msg": "first"}}]}
        plays = [first, {"import_playbook": "topics.yml"}]
        groups = {name: {"node1": given} for name in ("metal", "kafka")}
        code, output = run(tmp_path, plays, groups)
        assert code != 0
        assert "as asked" in output
        return note.exists()

    return apply


def test_after_a_run_that_fails_the_next_one_compares_everything(note_is_kept):
    assert not note_is_kept()


def test_a_site_that_is_as_the_last_run_left_it_keeps_its_note(note_is_kept):
    assert note_is_kept(site_at_rest=True)
