"""The documented options of filters are the parameters of their functions."""

import importlib
import inspect
from pathlib import Path

import pytest
import yaml

FOLDER = Path(__file__).parents[2] / "plugins/filter"
MODULES = "ansible_collections.metal.kafka.plugins.filter"
FILTERS = {
    name: function
    for path in FOLDER.glob("*.py")
    for name, function in importlib.import_module(f"{MODULES}.{path.stem}")
    .FilterModule()
    .filters()
    .items()
}
DOCUMENTS = {path.stem: yaml.safe_load(path.read_text()) for path in FOLDER.glob("*.yml")}
REQUIRED = "required"


def test_every_filter_has_a_document_and_every_document_a_filter():
    assert len(FILTERS) > 50
    assert sorted(FILTERS) == sorted(DOCUMENTS)


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_options_are_the_parameters(name):
    documentation = DOCUMENTS[name]["DOCUMENTATION"]
    first, *options = documentation["options"].items()
    positional = documentation["positional"].split(", ")
    assert first[0] == "_input"
    assert positional == ["_input", *(option for option, _ in options)][: len(positional)]
    assert {option: _documented(spec) for option, spec in options} == {
        each.name: REQUIRED if each.default is each.empty else each.default or None
        for each in list(inspect.signature(FILTERS[name]).parameters.values())[1:]
    }


def _documented(spec):
    """The default of an option; an empty one is none."""
    return REQUIRED if spec.get("required") else spec.get("default") or None


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_the_example_uses_the_filter(name):
    assert f"metal.kafka.{name}" in DOCUMENTS[name]["EXAMPLES"]
    assert yaml.safe_load(DOCUMENTS[name]["EXAMPLES"])
