"""Every kind of problem names a command or a page that helps, and each of them exists."""

import re

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._problems import problem_kinds
from ansible_collections.metal.kafka.plugins.module_utils._problems.platform_problem import Problem


@pytest.mark.parametrize("kind", sorted(problem_kinds.KINDS))
def test_the_help_of_a_kind_exists(repository, kind):
    found = Problem(kind, "kafka2", "text").help
    if problem_kinds.of(kind).severity == problem_kinds.NOTE and not found:
        return
    if found.startswith("make "):
        assert re.search(rf"^{found.split()[1]}: ", repository.text("Makefile"), re.MULTILINE)
    else:
        assert repository.text(found)


def test_a_problem_at_an_instance_names_its_log():
    assert Problem("ServiceDown", "kafka2", "down").as_dict()["command"] == "make logs S=kafka2"


def test_the_command_of_a_problem_is_more_exact_than_that_of_its_kind():
    assert Problem("ServiceDown", "kafka2", "down", "make up").help == "make up"
