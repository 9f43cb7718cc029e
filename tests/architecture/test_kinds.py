"""Plugins read kinds of services from the catalogue, so that a new kind needs no edit."""

import ast
from pathlib import PurePath

from ansible_collections.metal.kafka.plugins.plugin_utils._catalogue import SERVICES


def named(repository, path):
    """Kinds whose name is a string in a file."""
    nodes = ast.walk(ast.parse(repository.text(path)))
    found = {node.value for node in nodes if isinstance(node, ast.Constant)}
    return [each for each in SERVICES if each.kind in found]


def is_about(path, service):
    """Whether a file or its package is named after a kind or its role."""
    places = [path.stem, path.parent.name.removeprefix("_")]
    own = (service.kind, service.role)
    return any(f"{place}_".startswith(f"{name}_") for place in places for name in own)


def test_kinds_are_named_only_in_their_own_files(repository):
    files = repository.files("plugins/**/*.py")
    assert len(files) > 200
    found = {path: named(repository, path) for path in files}
    assert {kind.kind for kinds in found.values() for kind in kinds} >= {"zookeeper", "kafka"}
    beyond = {
        path: [each.kind for each in kinds if not is_about(PurePath(path), each)]
        for path, kinds in found.items()
    }
    assert {path: kinds for path, kinds in beyond.items() if kinds} == {}
