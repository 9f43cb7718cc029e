"""Each refusal is said by preflight or plan before a run changes anything, or has a reason."""

import ast
import fnmatch

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._preflight.checks import CHECKS
from refusal_sites import refusals
from refusals_table import LATE, TABLE

KINDS = ("preflight", "plan", "verb", "internal", "late")
NAMES = {each.__name__ for each in CHECKS}


@pytest.fixture(scope="module")
def matches(repository):
    """The first pattern of the table that matches, by place of a refusal; None without one."""
    patterns = [pattern for pattern, _ in TABLE]
    found = refusals(repository)
    assert len(found) > 250
    return {
        place: next((each for each in patterns if fnmatch.fnmatchcase(place, each)), None)
        for place in found
    }


def test_every_refusal_is_in_the_table(matches):
    assert [place for place, pattern in matches.items() if pattern is None] == []


def test_every_pattern_is_needed(matches):
    assert [pattern for pattern, _ in TABLE if pattern not in matches.values()] == []


def sources(kind):
    return {said.partition(":")[2] for _, said in TABLE if said.partition(":")[0] == kind}


def test_every_source_has_a_known_kind():
    assert {said.partition(":")[0] for _, said in TABLE} <= set(KINDS)


def test_named_checks_exist():
    assert sources("preflight") - {"*"} - NAMES == set()


def test_named_tests_exist(repository):
    for source in sources("plan"):
        path, _, name = source.partition("::")
        functions = [
            node.name
            for node in ast.walk(ast.parse(repository.text(path)))
            if isinstance(node, ast.FunctionDef)
        ]
        assert name in functions, source


def test_named_verbs_have_a_page(repository):
    pages = repository.files("docs/operate/verbs/*.md")
    assert [verb for verb in sources("verb") if f"docs/operate/verbs/{verb}.md" not in pages] == []


def test_late_refusals_are_few_and_documented(repository):
    assert sources("late") == set(LATE)
    assert len(LATE) <= 15
    page = " ".join(repository.text("docs/operate/verbs/plan.md").split())
    assert [reason for reason in LATE.values() if reason not in page] == []


def test_tasks_and_functions_that_refuse_are_found(repository):
    found = refusals(repository)
    check = "Check that declarations are valid and fit the machines"
    assert f"playbooks/internal_declarations.yml: {check}" in found
    assert "plugins/module_utils/_content/applied_state.py: select_removals" in found
    assert "plugins/modules/data_disks.py: main" in found
