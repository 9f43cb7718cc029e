"""Variables of a part of the site determine nothing that only a complete comparison applies."""

import inspect
import re
from functools import cache
from pathlib import Path

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._operations import site_parts
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.site_parts import (
    CONTENT,
    MONITORING,
    PIPELINES,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site import reader
from ansible_collections.metal.kafka.plugins.plugin_utils._site.facts import (
    HOST_FACTS,
    SITE_FACTS,
    TASK_FACTS,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site.inventory import Inventory
from site_inventories import site

ROOT = Path(__file__).resolve().parents[2]
# Facts for the status screen: they are read in each run, and applied in none.
REPORTED = ("machines.declared",)
# Roles that runs apply if a part changed. Names of pipelines belong to monitoring as well.
APPLIED = {
    CONTENT: {"kafka_content"},
    PIPELINES: {"kafka_content", "pipeline"},
    MONITORING: {"monitoring"},
}
PIPELINE = {"source": {"topic": "payments"}, "outputs": {"frauds": {"topic": "frauds"}}}
CHANGES = {
    "a topic": ("kafka_content_topics", {"payments": {}}, {"payments": {"partitions": 9}, "b": {}}),
    "a user": ("kafka_content_users", {"shop": {}}, {"shop": {"quota": {}}, "bank": {}}),
    "a pipeline": ("pipeline_pipelines", {"a": PIPELINE}, {"a": PIPELINE | {"rules": {}}}),
    "an output": (
        "pipeline_pipelines",
        {"a": PIPELINE},
        {"a": PIPELINE | {"outputs": {"other": {"topic": "other"}}}},
    ),
    "a name of a pipeline": ("pipeline_pipelines", {"a": PIPELINE}, {"b": PIPELINE, "a": PIPELINE}),
    "an alert": ("monitoring_alerts", {}, {"BrokerDown": False}),
    "a receiver": ("monitoring_receivers", {}, {"page": {"webhook_configs": []}}),
}


@cache
def texts(role: str) -> str:
    files = [*(ROOT / "roles" / role).rglob("*.yml"), *(ROOT / "roles" / role).rglob("*.j2")]
    return "\n".join(path.read_text() for path in files if path.name != "argument_specs.yml")


def roles() -> list[str]:
    return [path.name for path in (ROOT / "roles").iterdir() if path.is_dir()]


def inventory(variable: str, value: object, mode: str) -> Inventory:
    more = {
        "pipeline_address": "p",
        "pipeline_status_port": 4050,
        "kafka_broker_protocols_of_listeners": {},
    }
    found = site(security_mode=mode, **more, **{variable: value})
    return Inventory(found.hosts, {**found.groups, "pipeline": list(found.hosts)})


def facts(found: Inventory) -> dict[str, object]:
    return {name: reader.attempt(lambda f=fact: f(found)) for name, fact in SITE_FACTS.items()} | {
        name: [reader.attempt(lambda f=fact, h=host: f(found, h)) for host in found.hosts]
        for name, fact in HOST_FACTS.items()
    }


def test_the_inventory_of_these_tests_has_every_fact():
    found = facts(inventory("kafka_content_topics", {}, "tls_scram"))
    assert [name for name, value in found.items() if "failed" in str(value)] == []


def test_parts_have_the_kinds_of_the_roles_that_own_their_variables():
    assert site_parts.kinds([CONTENT, PIPELINES]) == ["pipeline"]
    assert "prometheus" in site_parts.kinds([MONITORING])
    assert site_parts.kinds([CONTENT, site_parts.REST]) == []


def changed_facts(variable: str, old: object, new: object, mode: str) -> set[str]:
    """Facts that change with the variable, and facts of tasks that read one of them."""
    before, after = (facts(inventory(variable, value, mode)) for value in (old, new))
    found = {name for name in before if before[name] != after[name]}
    sources = {name: inspect.getsource(fact) for name, fact in TASK_FACTS.items()}
    return found | {
        task for task, text in sources.items() if any(f'"{name}"' in text for name in found)
    }


@pytest.mark.parametrize("mode", ["plain", "tls_scram", "mtls"])
@pytest.mark.parametrize("case", CHANGES)
def test_facts_that_change_with_a_part_are_read_by_its_roles(case, mode):
    variable, old, new = CHANGES[case]
    applied = {
        role
        for part, names in APPLIED.items()
        if variable in site_parts.VARIABLES[part]
        for role in names
    }
    if case == "a name of a pipeline":
        applied |= APPLIED[MONITORING]

    readers = {
        (role, fact)
        for fact in changed_facts(variable, old, new, mode)
        for role in roles()
        if fact not in REPORTED and re.search(rf"'{re.escape(fact)}'", texts(role))
    }

    assert {role for role, _ in readers} <= applied, readers


@pytest.mark.parametrize("part", site_parts.VARIABLES)
def test_only_the_role_of_a_part_names_its_variables(part):
    owner = {CONTENT: "kafka_content", PIPELINES: "pipeline", MONITORING: "monitoring"}[part]
    named = {
        (role, name)
        for name in site_parts.VARIABLES[part]
        for role in roles()
        if re.search(rf"\b{name}\b", texts(role))
    }
    # The message of the disk verb names a variable for the operator.
    assert {role for role, _ in named} - {"kafka_disks"} == {owner}
    playbooks = "\n".join(path.read_text() for path in (ROOT / "playbooks").glob("*.yml"))
    assert [n for n in site_parts.VARIABLES[part] if re.search(rf"\b{n}\b", playbooks)] == []
