from collections import UserList

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.service_data import (
    declared_container,
    format_ulimit,
    labelled_container,
    service_hash,
    to_builtin,
)

DEFINITION = {"image": "kafka:1", "command": ["a", "b"], "healthcheck": {"retries": 3}}
FILES = [{"name": "server.properties", "content": "broker.id=1\n"}]


def test_the_order_of_keys_does_not_make_a_service_stale():
    turned = dict(reversed(DEFINITION.items()))
    assert service_hash(turned, FILES) == service_hash(DEFINITION, FILES)


@pytest.mark.parametrize(
    ("definition", "files"),
    [
        ({**DEFINITION, "image": "kafka:2"}, FILES),
        ({**DEFINITION, "command": ["b", "a"]}, FILES),
        ({**DEFINITION, "healthcheck": {"retries": "3"}}, FILES),
        (DEFINITION, []),
        (DEFINITION, [{"name": "server.properties", "content": "broker.id=2\n"}]),
        (DEFINITION, [{"name": "other", "content": "broker.id=1\n"}]),
    ],
)
def test_any_other_change_makes_it_stale(definition, files):
    assert service_hash(definition, files) != service_hash(DEFINITION, FILES)


def test_a_definition_wins_over_the_defaults_of_every_container():
    defaults = {"init": True, "logging": {"driver": "a", "options": {"size": 1}}, "tmpfs": ["/a"]}
    given = {"init": False, "logging": {"options": {"file": 2}}, "tmpfs": [], "volumes": ["x"]}
    assert declared_container(defaults, given, ["y"]) == {
        "init": False,
        "logging": {"driver": "a", "options": {"size": 1, "file": 2}},
        "tmpfs": [],
        "volumes": ["x", "y"],
    }
    assert declared_container({}, {}) == {"volumes": []}


def test_a_memory_limit_includes_swap():
    assert declared_container({}, {"mem_limit": "1g"}, [], True)["memswap_limit"] == "1g"
    assert "memswap_limit" not in declared_container({}, {"mem_limit": ""}, [], True)
    assert "memswap_limit" not in declared_container({}, {"mem_limit": "1g"})


def test_mounts_and_labels_of_every_container_are_not_in_its_hash():
    found = labelled_container({**DEFINITION, "volumes": ["a"]}, {"x": "y"}, FILES, ["b"])
    hashed = service_hash({**DEFINITION, "volumes": ["a"]}, FILES)
    assert found == {
        **DEFINITION,
        "labels": {"x": "y", "kafka-metal.hash": hashed},
        "volumes": ["a", "b"],
    }


def test_labels_are_added_to_those_of_the_declaration():
    declared = {"labels": {"team": "a", "kafka-metal.service": "other"}}
    found = labelled_container(declared, {"kafka-metal.service": "kafka"})["labels"]
    assert found.keys() == {"team", "kafka-metal.service", "kafka-metal.hash"}
    assert (found["team"], found["kafka-metal.service"]) == ("a", "kafka")


def test_the_hash_is_the_same_in_every_version_of_this_code():
    # A changed value restarts every container of every site at its next run.
    assert service_hash(DEFINITION, FILES) == "4e13c8bd0d7b0621"


def test_only_static_part_of_a_file_counts():
    static = {"name": "server.properties", "static": "broker.id=1\n"}
    both = [{**static, "content": "broker.id=1\nnum.io.threads=8\n"}]
    live = [{**static, "content": "broker.id=1\nnum.io.threads=16\n"}]
    restart = [{**both[0], "static": "broker.id=2\n"}]
    assert service_hash(DEFINITION, both) == service_hash(DEFINITION, live)
    assert service_hash(DEFINITION, both) == service_hash(DEFINITION, FILES)
    assert service_hash(DEFINITION, both) != service_hash(DEFINITION, restart)


class Lazy(list):
    """A list whose stored items differ from iterated ones, as in Ansible."""

    def __iter__(self):
        return (f"templated {item}" for item in super().__iter__())


def test_lazy_values_of_ansible_are_evaluated():
    assert to_builtin({"command": Lazy(["a"])}) == {"command": ["templated a"]}
    assert service_hash({"command": Lazy(["a"])}) == service_hash({"command": ["templated a"]})


def test_valid_and_invalid_container_names():
    other = UserList([1])
    assert to_builtin(other) is other


@pytest.mark.parametrize(
    ("value", "text"),
    [(20000, "nofile:20000:20000"), ({"soft": 1, "hard": 2}, "nofile:1:2")],
)
def test_a_limit_is_written_for_the_engine(value, text):
    assert format_ulimit({"key": "nofile", "value": value}) == text
