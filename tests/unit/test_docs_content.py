"""Tables and examples in the documentation match the code."""

import re
from pathlib import Path

import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.declared_content import (
    content_specs,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.roles import ALL, ROLES

PAGE = Path(__file__).resolve().parents[2] / "docs/operate/guides/content.md"


def row(role, right):
    kind = right.resource_type.replace("_", " ")
    if right.key == ALL:
        resource = f"every {kind}"
    elif right.begins:
        resource = f"{kind}s that begin with `{right.key}`-"
    else:
        resource = f"{kind} `{right.key}`" if right.key else kind
    switch = f"`{right.switch}`" if right.switch else ""
    return (f"`{role}`", resource, ", ".join(right.operations), switch)


def test_page_has_exactly_the_rights_of_roles():
    pattern = r"^\| (`\w+`) \| (.+?) \| (.+?) \| (.*?) ?\|$"
    rows = re.findall(pattern, PAGE.read_text(), re.MULTILINE)
    assert rows == [row(role, right) for role, rights in ROLES.items() for right in rights]


def test_the_example_of_the_page_is_accepted():
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    given = yaml.safe_load(example)
    names = {name: name.removeprefix("kafka_content_") for name in given}
    specs = content_specs({names[name]: each for name, each in given.items()})
    assert len(specs["acls"]["acls"]) == 13
    assert specs["users"]["absent"] == ["mallory"]


def test_page_is_short():
    assert len(PAGE.read_text().splitlines()) <= 120
