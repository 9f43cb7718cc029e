"""Packages with a pyproject.toml of their own: who imports whom."""

import ast
import re
import tomllib
from graphlib import TopologicalSorter

import pytest

PREFIX = "kafka-metal-"


@pytest.fixture(scope="module")
def packages(repository):
    """By folder: the project's name and the packages of this repository that it depends on."""
    found = {}
    for path in repository.files("*/pyproject.toml"):
        project = tomllib.loads(repository.text(path))["project"]
        found[path.split("/")[0]] = (project["name"], _ours(project.get("dependencies", ())))
    return found


def _ours(dependencies):
    names = {re.match(r"[\w.-]+", each)[0] for each in dependencies}
    return {name for name in names if name.startswith(PREFIX)}


def _imported(text):
    """Names of this repository's packages that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(text)):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        for name in names:
            package = name.split(".")[0].replace("_", "-")
            if package.startswith(PREFIX):
                yield package


def _beyond(repository, files, allowed):
    return [
        f"{path} imports {name}"
        for path in files
        for name in sorted(set(_imported(repository.text(path))))
        if name not in allowed
    ]


def test_a_package_imports_only_those_it_depends_on(repository, packages):
    assert len(packages) > 5
    wrong = []
    for folder, (name, needed) in packages.items():
        files = repository.files(f"{folder}/src/**/*.py")
        assert files, folder
        wrong += _beyond(repository, files, {name, *needed})
    assert wrong == []


def test_packages_depend_on_each_other_in_one_direction(packages):
    # Raises CycleError, which names the cycle.
    TopologicalSorter(dict(packages.values())).prepare()


def test_operators_run_nothing_that_only_tests_and_the_demonstration_need(repository, packages):
    """Records are reconciled in the image of the pipeline; the control node has no such package."""
    needed = dict(packages.values())
    installed = _ours(tomllib.loads(repository.text("pyproject.toml"))["project"]["dependencies"])
    for name in [*installed]:
        installed |= needed[name]
    assert "kafka-metal-client" in installed
    assert "kafka-metal-reconciliation" not in installed
    assert "kafka-metal-reconciliation" in needed
    assert _beyond(repository, repository.files("plugins/**/*.py"), installed) == []
