"""Declarations that are taken back after a run that failed are applied, not taken for applied."""

import pytest
from plays import ASKED, BROKER, ansible_playbook, with_printing_roles


@pytest.fixture
def note_is_kept(tmp_path):
    """Apply content whose last step fails; whether the note of the run before is still there."""
    folder = with_printing_roles(tmp_path)
    # As in a whole run, where a play before has found out whether there is anything to compare.
    first = '[{"hosts": "all", "tasks": [{"ansible.builtin.debug": {"msg": "first"}}]}]'
    (folder / "first.yml").write_text(first)
    note = tmp_path / ".as-left/unit@node1.json"
    note.parent.mkdir()
    note.write_text("{}")

    def apply(**variables):
        given = {
            **ASKED,
            "cluster_name": "unit",
            "service_config_root": str(tmp_path),
            **BROKER,
            "fails": "kafka_content/main",
            **variables,
        }
        groups = {name: {"node1": given} for name in ("metal", "kafka", "pipeline")}
        books = [f"{folder}/{name}.yml" for name in ("first", "topics")]
        code, output = ansible_playbook(tmp_path, groups, *books)
        assert code != 0
        assert "failure of the test" in output
        return note.exists()

    return apply


def test_after_a_run_that_fails_the_next_one_compares_everything(note_is_kept):
    assert not note_is_kept()


def test_a_site_that_is_as_the_last_run_left_it_keeps_its_note(note_is_kept):
    assert note_is_kept(site_unchanged=True)
