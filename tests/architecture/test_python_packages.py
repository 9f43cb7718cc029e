"""Packages with their own pyproject.toml: allowed imports."""

import ast
import re
import tomllib
from graphlib import TopologicalSorter

import pytest

PREFIX = "kafka-metal-"
DECLARATIONS = "kafka-metal-declarations"


@pytest.fixture(scope="module")
def packages(repository):
    """Name of the project and its dependencies in this repository, by folder."""
    found = {}
    for path in repository.files("*/pyproject.toml"):
        project = tomllib.loads(repository.text(path))["project"]
        found[path.split("/")[0]] = (project["name"], _ours(project.get("dependencies", ())))
    return found


def _ours(dependencies):
    names = {re.match(r"[\w.-]+", each)[0] for each in dependencies}
    return {name for name in names if name.startswith(PREFIX)}


def _modules(text):
    """Names of packages that a file imports; imports inside functions included."""
    for node in ast.walk(ast.parse(text)):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        yield from (name.split(".")[0] for name in names)


def _imported(text):
    """Names of packages of this repository that a file imports."""
    return {
        name
        for name in (each.replace("_", "-") for each in _modules(text))
        if name.startswith(PREFIX)
    }


def _beyond(repository, files, allowed):
    return [
        f"{path} imports {name}"
        for path in files
        for name in sorted(_imported(repository.text(path)))
        if name not in allowed
    ]


def test_packages_import_only_their_dependencies(repository, packages):
    assert len(packages) > 5
    wrong = []
    for folder, (name, needed) in packages.items():
        files = repository.files(f"{folder}/src/**/*.py")
        assert files, folder
        wrong += _beyond(repository, files, {name, *needed})
    assert wrong == []


def test_dependencies_have_no_cycles(packages):
    # Raises CycleError, which contains the cycle.
    TopologicalSorter(dict(packages.values())).prepare()


def test_plugins_import_no_driver(repository):
    """The package of drivers needs Spark, which the control node does not have."""
    files = repository.files("plugins/**/*.py")
    assert _beyond(repository, files, {DECLARATIONS, "kafka-metal-client"}) == []
    paths = {path: re.findall(r"\b\w+/src\b", repository.text(path)) for path in files}
    assert {path: found for path, found in paths.items() if found} == {
        "plugins/plugin_utils/_declarations/declarations_package.py": ["declarations/src"],
        "plugins/plugin_utils/_operations/screens_package.py": ["client/src"],
    }


def test_declarations_import_neither_spark_nor_other_packages(repository, packages):
    assert packages["declarations"] == (DECLARATIONS, set())
    files = repository.files("declarations/src/**/*.py")
    assert _beyond(repository, files, {DECLARATIONS}) == []
    loaded = {path: set(_modules(repository.text(path))) for path in files}
    assert [path for path, names in loaded.items() if names & {"pyspark", "py4j"}] == []


def test_control_node_has_no_reconciliation_package(repository, packages):
    """Records are reconciled in the image of pipelines."""
    needed = dict(packages.values())
    installed = _ours(tomllib.loads(repository.text("pyproject.toml"))["project"]["dependencies"])
    for name in [*installed]:
        installed |= needed[name]
    assert "kafka-metal-client" in installed
    assert "kafka-metal-reconciliation" not in installed
    assert "kafka-metal-reconciliation" in needed
