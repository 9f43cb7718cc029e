"""Metadata of the collection for its users."""

import re
import tomllib

# Ansible itself, and packages whose sources the collection has.
OWN = re.compile(r"ansible|kafka-metal-")


def test_requirements_equal_the_locked_dependencies(repository):
    project = tomllib.loads(repository.text("pyproject.toml"))["project"]
    locked = {each for each in project["dependencies"] if not OWN.match(each)}
    lines = repository.lines("meta/requirements.txt")
    assert {each for each in lines if not each.startswith("#")} == locked
    environment = repository.yaml("meta/execution-environment.yml")
    assert environment["dependencies"]["python"] == "meta/requirements.txt"


def test_versions_of_collection_and_project_are_equal(repository):
    version = repository.yaml("galaxy.yml")["version"]
    assert version == tomllib.loads(repository.text("pyproject.toml"))["project"]["version"]


def test_exceptions_of_ansible_test_are_current(repository):
    """`scripts/sanity` fails if a new module has no exception, or a file does not exist."""
    (path,) = repository.files("tests/sanity/ignore-*.txt")
    lines = [re.fullmatch(r"(\S+) (\S+)  # (.+)", line) for line in repository.lines(path)]
    assert all(lines)
    assert repository.lines(path) == sorted(repository.lines(path))
    assert [line[1] for line in lines if not (repository.root / line[1]).exists()] == []
    # ansible-test requires the GPL for documented plugins; the licence here is Apache's.
    documented = repository.files(
        "plugins/modules/*.py", "plugins/lookup/*.py", "plugins/callback/*.py"
    )
    assert sorted(line[1] for line in lines if "license" in line[2]) == documented
