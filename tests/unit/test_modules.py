"""Every module's documentation says exactly what its code takes."""

import importlib
from pathlib import Path

import pytest
import yaml

PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
PACKAGE = "ansible_collections.metal.kafka.plugins"
MODULES = sorted(path.stem for path in (PLUGINS / "modules").glob("*.py"))
FACTS = ("type", "elements", "required", "default", "choices")


class UniqueKeys(yaml.SafeLoader):
    """YAML in which no key hides an earlier one of the same name."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        assert len(keys) == len(set(keys)), f"{node.start_mark}: a key is there twice: {keys}"
        return super().construct_mapping(node, deep)


class AskedForArguments(Exception):
    """Raised in place of running the module."""


def specification(module, monkeypatch):
    """The arguments that ``module`` hands to Ansible."""
    asked = {}

    def record(**arguments):
        asked.update(arguments)
        raise AskedForArguments

    monkeypatch.setattr(module, "AnsibleModule", record)
    with pytest.raises(AskedForArguments):
        module.main()
    return asked


def documented(module):
    """The documentation, options and attributes with those of the fragments."""
    text = yaml.load(module.DOCUMENTATION, UniqueKeys)
    for fragment in text.get("extends_documentation_fragment", []):
        # Namespace, collection, file, and a section of it.
        name, *section = fragment.split(".")[2:]
        shared = importlib.import_module(f"{PACKAGE}.doc_fragments.{name}").ModuleDocFragment
        told = yaml.safe_load(getattr(shared, (section or ["documentation"])[0].upper()))
        for part in ("options", "attributes"):
            text[part] = text.get(part, {}) | told.get(part, {})
    return text


def compare(code, documentation, where):
    assert set(code) == set(documentation), where
    for name, argument in code.items():
        told = documentation[name]
        for fact in FACTS:
            assert argument.get(fact) == told.get(fact), f"{where}.{name}: {fact}"
        compare(argument.get("options", {}), told.get("suboptions", {}), f"{where}.{name}")


@pytest.mark.parametrize("name", MODULES)
def test_documentation_and_code_take_the_same_arguments(name, monkeypatch):
    module = importlib.import_module(f"{PACKAGE}.modules.{name}")
    text = documented(module)
    asked = specification(module, monkeypatch)
    assert text["module"] == name
    compare(asked["argument_spec"], text.get("options", {}), name)
    told = text["attributes"]["check_mode"]["support"] == "full"
    assert asked["supports_check_mode"] is told


@pytest.mark.parametrize("name", MODULES)
def test_examples_use_only_arguments_that_there_are(name):
    module = importlib.import_module(f"{PACKAGE}.modules.{name}")
    options = documented(module).get("options", {})
    tasks = yaml.safe_load(module.EXAMPLES)
    # What an example does with the answer is another module.
    given = [task[f"metal.kafka.{name}"] or {} for task in tasks if f"metal.kafka.{name}" in task]
    assert given
    for arguments in given:
        assert set(arguments) <= set(options)
        assert {key for key, told in options.items() if told.get("required")} <= set(arguments)
    assert yaml.safe_load(module.RETURN)
