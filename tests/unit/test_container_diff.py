import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.container_diff import (
    declaration_differences,
    service_state,
)

RUNNING = {"State": {"Running": True}}
DEFINITION = {"image": "kafka:1", "labels": {"hash": "1"}}


@pytest.mark.parametrize(
    ("container", "differs", "files", "state"),
    [
        ({}, ["image"], [], "absent"),
        ({"State": {"Running": False}}, [], [], "absent"),
        (RUNNING, ["labels"], ["/etc/x"], "stale"),
        (RUNNING, [], ["/etc/x"], "drifted"),
        (RUNNING, [], [], "current"),
    ],
)
def test_service_state_follows_from_differences(container, differs, files, state):
    assert service_state(container, differs, files) == state


def declared(content, **definition):
    return {
        "definition": {**DEFINITION, **definition},
        "files": [{"name": "server.properties", "content": content}],
    }


def test_differences_are_keys_without_derived_ones():
    old = declared("a=1\nb=2\n# note\n")
    new = declared("a=1\nb=3\nc=4\n", image="kafka:2", labels={"hash": "2"})
    assert declaration_differences(new, old) == ["image", "server.properties: b, c"]


def test_values_are_never_reported():
    differs = declaration_differences(declared("x.password=secret\n"), declared(""))
    assert differs == ["server.properties: x.password"]


def test_added_or_removed_file_is_named():
    less = {"definition": DEFINITION, "files": []}
    assert declaration_differences(less, declared("")) == ["server.properties"]
    assert declaration_differences(declared(""), declared("")) == []
