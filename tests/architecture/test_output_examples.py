"""Examples of a run's output name steps and tasks that exist."""

import re

import pytest

PAGE = "docs/operate/guides/output.md"
# Forms of a run's output, each with the names of a step or a task. ``━`` marks a replaced line.
STEP = r"^ ?\d+:\d\d  (?P<step>.+?), \d+ (?:s|min): "
REPLACED = r"^\d+:\d\d (?:━+ )?(?P<task>\S.+?)(?: \((?P<step>[^()]+)\))?$"
FAILED = r"^\w+ failed: (?P<task>[^…]+)$"


def names(tree: object) -> set[str]:
    """Names of plays, blocks and tasks, at any depth."""
    if isinstance(tree, list):
        return set().union(*map(names, tree))
    if not isinstance(tree, dict):
        return set()
    own = {tree["name"]} if isinstance(tree.get("name"), str) else set()
    return own.union(*map(names, tree.values()))


@pytest.fixture(scope="module")
def plays(repository) -> set[str]:
    return {
        play["name"]
        for path in repository.files("playbooks/*.yml")
        for play in repository.yaml(path) or []
        if "hosts" in play
    }


@pytest.fixture(scope="module")
def tasks(repository) -> set[str]:
    paths = repository.files("playbooks/*.yml", "roles/*/tasks/**/*.yml")
    return set().union(*(names(repository.yaml(path)) for path in paths))


def is_named(text: str, known: set[str]) -> bool:
    """Whether ``text`` starts with a name, or with the part of a name before its template."""
    for each in known:
        start, template, _ = each.partition("{{")
        if text == each or (start and text.startswith(start if template else f"{each}: ")):
            return True
    return False


def examples(text: str) -> list[dict[str, str]]:
    """Steps and tasks in the code of a page."""
    code = [line for block in re.findall(r"^```text\n(.*?)^```", text, re.M | re.S)
            for line in block.splitlines()]  # fmt: skip
    code += re.findall(r"`([^`\n]+)`", text)
    matches = [re.search(STEP, each) or re.search(REPLACED, each) or re.search(FAILED, each)
               for each in code]  # fmt: skip
    return [{k: v for k, v in each.groupdict().items() if v} for each in matches if each]


def test_examples_name_only_steps_and_tasks_that_exist(repository, plays, tasks):
    found = examples(repository.text(PAGE))
    assert len(found) >= 9
    unknown = [
        text
        for each in found
        for kind, text in each.items()
        if not is_named(text, plays if kind == "step" else tasks)
    ]
    assert unknown == []


def test_a_name_that_does_not_exist_is_found():
    line = "```text\n2:31 Wait for the port: a: attempt 3 of 60 (Start Spark)\n```\n"
    assert examples(line) == [
        {"task": "Wait for the port: a: attempt 3 of 60", "step": "Start Spark"}
    ]
    assert not is_named("Start Spark", {"Start", "Start monitoring"})
    assert is_named("Start in parallel: kafka", {"Start in parallel: {{ group }}"})
