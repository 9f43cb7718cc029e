"""Declarations that are reverted after a failed run are applied again."""

import pytest
from plays import BROKER, ENTRY_DEFAULTS, ansible_playbook, with_printing_roles


@pytest.fixture
def baseline_is_kept(tmp_path):
    """Function that applies content with a failing last step; whether the baseline still exists."""
    folder = with_printing_roles(tmp_path)
    # As in a complete run, where an earlier play has detected whether the site is unchanged.
    first = '[{"hosts": "all", "tasks": [{"ansible.builtin.debug": {"msg": "first"}}]}]'
    (folder / "first.yml").write_text(first)
    baseline = tmp_path / ".as-left/unit@node1.json"
    baseline.parent.mkdir()
    baseline.write_text("{}")

    def apply(**variables):
        given = {
            **ENTRY_DEFAULTS,
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
        return baseline.exists()

    return apply


def test_after_a_failed_run_the_next_one_compares_everything(baseline_is_kept):
    assert not baseline_is_kept()


def test_an_unchanged_site_keeps_its_baseline(baseline_is_kept):
    assert baseline_is_kept(site_unchanged=True)
