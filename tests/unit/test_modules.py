"""The documentation of every module lists exactly the arguments of its code."""

import importlib
from pathlib import Path

import pytest
import yaml

PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
PACKAGE = "ansible_collections.metal.kafka.plugins"
MODULES = sorted(path.stem for path in (PLUGINS / "modules").glob("*.py"))
# A result with one of these changes the state of the task or of the host.
RESERVED = {"ansible_facts", "exception", "failed", "rc", "results", "skipped", "unreachable"}
FACTS = ("type", "elements", "required", "default", "choices")


class UniqueKeys(yaml.SafeLoader):
    """A YAML loader that rejects duplicate keys."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        assert len(keys) == len(set(keys)), f"{node.start_mark}: duplicate key: {keys}"
        return super().construct_mapping(node, deep)


class ArgumentsRecorded(Exception):
    """Raised in place of running the module."""


def specification(module, monkeypatch):
    """Return the arguments that ``module`` passes to AnsibleModule."""
    spec = {}

    def record(**arguments):
        spec.update(arguments)
        raise ArgumentsRecorded

    monkeypatch.setattr(module, "AnsibleModule", record)
    with pytest.raises(ArgumentsRecorded):
        module.main()
    return spec


def documented(module):
    """Return the documentation, with options and attributes of its fragments."""
    text = yaml.load(module.DOCUMENTATION, UniqueKeys)
    for fragment in text.get("extends_documentation_fragment", []):
        # Namespace, collection, file, and a section of it.
        name, *section = fragment.split(".")[2:]
        shared = importlib.import_module(f"{PACKAGE}.doc_fragments.{name}").ModuleDocFragment
        fragment_text = yaml.safe_load(getattr(shared, (section or ["documentation"])[0].upper()))
        for part in ("options", "attributes"):
            text[part] = text.get(part, {}) | fragment_text.get(part, {})
    return text


def compare(code, documentation, where):
    assert set(code) == set(documentation), where
    for name, argument in code.items():
        documented_argument = documentation[name]
        for fact in FACTS:
            assert argument.get(fact) == documented_argument.get(fact), f"{where}.{name}: {fact}"
        compare(
            argument.get("options", {}),
            documented_argument.get("suboptions", {}),
            f"{where}.{name}",
        )


@pytest.mark.parametrize("name", MODULES)
def test_documentation_and_code_have_the_same_arguments(name, monkeypatch):
    module = importlib.import_module(f"{PACKAGE}.modules.{name}")
    text = documented(module)
    spec = specification(module, monkeypatch)
    assert text["module"] == name
    compare(spec["argument_spec"], text.get("options", {}), name)
    check_mode = text["attributes"]["check_mode"]["support"] == "full"
    assert spec["supports_check_mode"] is check_mode


@pytest.mark.parametrize("name", MODULES)
def test_examples_use_only_existing_arguments(name):
    module = importlib.import_module(f"{PACKAGE}.modules.{name}")
    options = documented(module).get("options", {})
    tasks = yaml.safe_load(module.EXAMPLES)
    # An example may use further modules for the result.
    given = [task[f"metal.kafka.{name}"] or {} for task in tasks if f"metal.kafka.{name}" in task]
    assert given
    for arguments in given:
        assert set(arguments) <= set(options)
        required = {key for key, option in options.items() if option.get("required")}
        assert required <= set(arguments)
    assert yaml.safe_load(module.RETURN)


@pytest.mark.parametrize("name", MODULES)
def test_results_have_no_key_that_ansible_interprets(name):
    text = importlib.import_module(f"{PACKAGE}.modules.{name}").RETURN
    assert not set(yaml.safe_load(text) or {}) & RESERVED
