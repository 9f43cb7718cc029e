"""Declarations that are reverted after a failed run are applied again."""

import json

import pytest
from plays import BROKER, ENTRY_DEFAULTS, ansible_playbook, with_printing_roles

DECLARED = {"content": "c1", "pipelines": "p1", "rest": "r1"}


@pytest.fixture
def baseline_after(tmp_path):
    """Function that applies content with a failing last step; digests of the baseline after it."""
    folder = with_printing_roles(tmp_path)
    # As in a complete run, where an earlier play has detected whether the site is unchanged.
    first = '[{"hosts": "all", "tasks": [{"ansible.builtin.debug": {"msg": "first"}}]}]'
    (folder / "first.yml").write_text(first)
    baseline = tmp_path / ".as-left/unit@node1.json"
    baseline.parent.mkdir()
    baseline.write_text(json.dumps({"declared": DECLARED}))

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
        books = [f"{folder}/{name}.yml" for name in ("first", "internal_content")]
        code, output = ansible_playbook(tmp_path, groups, *books)
        assert code != 0
        assert "failure of the test" in output
        return json.loads(baseline.read_text())["declared"] if baseline.exists() else None

    return apply


def test_after_a_failed_run_the_next_one_compares_everything(baseline_after):
    assert baseline_after() is None


def test_an_unchanged_site_keeps_its_baseline(baseline_after):
    assert baseline_after(site_unchanged=True) == DECLARED


def test_a_failed_run_of_one_part_outdates_only_that_part(baseline_after):
    after = baseline_after(site_unchanged=False, site_parts=["content"])
    assert after == DECLARED | {"content": ""}
