"""Tables and examples in the documentation match the code."""

import re
from pathlib import Path

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations import (
    declared_acls,
    declared_quotas,
    declared_topics,
    declared_users,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.declared_content import (
    content_specs,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.roles import ALL, ROLES

GUIDES = Path(__file__).resolve().parents[2] / "docs/operate/guides"
PAGE, KEYS = GUIDES / "content.md", GUIDES / "content-keys.md"


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
    rows = re.findall(pattern, KEYS.read_text(), re.MULTILINE)
    assert rows == [row(role, right) for role, rights in ROLES.items() for right in rights]


def test_the_example_of_the_page_is_accepted():
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    given = yaml.safe_load(example)
    names = {name: name.removeprefix("kafka_content_") for name in given}
    specs = content_specs({names[name]: each for name, each in given.items()})
    assert len(specs["acls"]["acls"]) == 13
    assert specs["users"]["absent"] == ["mallory"]


def test_page_has_exactly_the_keys_of_declarations():
    """Roles have a table of their own."""
    keys = {
        "Topics": declared_topics.KEYS,
        "Users": declared_users.USER_KEYS,
        "ACLs": (
            *declared_acls.RESOURCES,
            *["principal", "permission", "operations", "host", "pattern", "cluster"],
        ),
        "Quotas": (*declared_quotas.PER_CLIENT, *declared_quotas.PER_ADDRESS),
    }
    for title, expected in keys.items():
        section = KEYS.read_text().partition(f"\n## {title}\n")[2].partition("\n## ")[0]
        cells = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)
        assert sorted(re.findall(r"`(\w+)`", ", ".join(cells))) == sorted(expected), title


@pytest.mark.parametrize("page", [PAGE, KEYS], ids=lambda page: page.stem)
def test_pages_are_short(page):
    assert len(page.read_text().splitlines()) <= 120
