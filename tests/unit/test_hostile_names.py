"""Names in a cluster are only data in files, screens, pages and plans."""

import json
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.filter.content import declaration_file
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.content_export import (
    declarations,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.plan_report import Plan
from hostile_names import MARKER, NAMES
from kafka_metal_client import groups
from kafka_metal_client.state import visible_texts
from kafka_metal_client.tables import Paint
from kafka_metal_dashboards.page.plot import svg
from kafka_metal_dashboards.page.prometheus_api import Line
from kafka_metal_watch import page
from kafka_metal_watch._problems.arrangement import Finding
from kafka_metal_watch._problems.platform_problem import Problem

each_name = pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:24])


class AnsibleLoader(yaml.SafeLoader):
    """YAML with the tag that Ansible reads as text."""


AnsibleLoader.add_constructor("!unsafe", AnsibleLoader.construct_scalar)


def state_with(name):
    # Brokers store no ACL for a resource name with a slash.
    group = name.replace("/", "-")
    acl = {"principal": f"User:{name}", "resource_type": "group", "resource": group}
    return {
        "users": {name: {"SCRAM-SHA-512": 8192}},
        "acls": [{**acl, "operation": "read", "pattern": "literal", "permission": "allow"}],
        "quotas": [{"client": name, "values": {"producer_byte_rate": 1.0}}],
    }


@each_name
def test_names_in_an_export_are_text(name):
    text = declaration_file(declarations(state_with(name)))
    found = yaml.load(text, AnsibleLoader)
    assert all(line.isprintable() for line in text.splitlines())
    assert set(found) >= {"kafka_content_users", "kafka_content_acls", "kafka_content_quotas"}
    assert found["kafka_content_quotas"] in ([], [{"client": name, "producer": 1}])


@each_name
def test_names_in_a_plan_have_no_control_characters(name):
    plan = Plan("prod")
    plan.begin("Topics")
    plan.add("kafka1", "metal.kafka.topics", "t", {"changed": True, "steps": [f"add: {name}"]})
    plan.add("kafka1", "debug", "t", {"msg": [name]})
    lines = plan.lines(0.0, ())
    assert all(line.isprintable() for line in lines)
    assert lines[-1] == "plan: 1 changes"


@each_name
def test_names_on_the_groups_screen_are_one_line(name):
    member = {"client": name, "host": "/127.0.0.1"}
    group = {"state": "Stable", "members": [member], "topics": ["t"], "lag": 1}
    found = visible_texts({"groups": {name: group}, "steps": [name]})
    lines = groups.render(found, Paint(False)).splitlines()
    assert all(line.isprintable() for line in lines)
    assert len(lines) == 7


@each_name
def test_names_on_the_page_are_text(name):
    (row,) = [page._group(page.GroupLag(name, "t", 1, 2, 3.0))]
    (table,) = [page.Table("groups", ("group", "topic"), ("a", "b", "c"), [row])]
    text = page.ENVIRONMENT.get_template("cluster.html").render(
        cluster=name,
        links=[],
        count=1,
        findings=[
            Finding(Problem("ServiceDown", name, name, name), (Problem("Slow", name, name),))
        ],
        notes=[name],
        age=1.0,
        refresh=1,
        pending="",
        script="",
        tables=[table],
    )
    body = text.partition("<table")[2]
    assert "<script>alert" not in text
    assert "<img" not in text
    assert "\x1b" not in body
    assert "\u202e" not in body


@each_name
def test_names_in_a_plot_are_text(name):
    picture = svg([Line(name, (0.0, 60.0), (1.0, 2.0)), Line("other", (0.0, 60.0), (2.0, 1.0))], "")
    texts = {node.text for node in ET.fromstring(picture).iter() if node.text}
    printable = "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in name
    )
    assert printable in texts


def test_templates_in_an_export_are_not_evaluated(tmp_path):
    """Ansible reads the exported names unchanged, and evaluates no template in them."""
    state = {
        "users": {name: {"SCRAM-SHA-512": 8192} for name in NAMES},
        "quotas": [{"client": n, "values": {"producer_byte_rate": 1.0}} for n in NAMES],
    }
    folder = tmp_path / "group_vars"
    folder.mkdir()
    (folder / "all.yml").write_text(declaration_file(declarations(state)))
    (tmp_path / "hosts").write_text("localhost ansible_connection=local\n")
    target = tmp_path / "found.json"
    (tmp_path / "play.yml").write_text(
        "- hosts: localhost\n"
        "  gather_facts: false\n"
        "  tasks:\n"
        "    - ansible.builtin.copy:\n"
        '        content: "{{ [kafka_content_quotas, kafka_content_users] | to_json }}"\n'
        f"        dest: {target}\n"
    )
    Path(f"/tmp/{MARKER}").unlink(missing_ok=True)
    subprocess.run(
        ["ansible-playbook", "-i", "hosts", "play.yml"],
        cwd=tmp_path, check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    quotas, users = json.loads(target.read_text())
    assert not Path(f"/tmp/{MARKER}").exists()
    declared = yaml.load((folder / "all.yml").read_text(), AnsibleLoader)
    assert quotas == declared["kafka_content_quotas"]
    assert users == declared["kafka_content_users"]
    assert {each["client"] for each in quotas} <= set(NAMES)
    assert NAMES[0] in {each["client"] for each in quotas}
