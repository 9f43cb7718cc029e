"""One pipeline is not applied while status ports of other drivers move."""

import base64
import json

import pytest
from ansible_collections.metal.kafka.plugins.filter.pipeline_checks import moved_ports
from plays import BROKER, run, with_collection


def on_host(name, text):
    return {"item": name, "content": base64.b64encode(text.encode()).decode()}


def test_ports_of_drivers_are_compared_with_declared_ones():
    endpoints = {"a": "node1:4051", "b": "node1:4052", "c": "node1:4053", "d": "[::1]:4054"}
    results = [
        on_host("a", "status: node1:4050"),
        # Another address is no other port.
        on_host("b", "status: node2:4052"),
        # It never ran.
        {"item": "c", "msg": "file not found"},
        on_host("d", "{status: '[::1]:4055'}"),
    ]
    assert moved_ports(results, endpoints) == {
        "a": {"old": 4050, "new": 4051},
        "d": {"old": 4055, "new": 4054},
    }
    assert moved_ports([on_host("a", "damaged")], endpoints) == {}


@pytest.fixture
def check_ports(tmp_path):
    """Function that checks a selected pipeline, with the ports of drivers on the host."""

    def check(running, declared, selected, **variables):
        with_collection(tmp_path)
        for name, port in running.items():
            folder = tmp_path / f"unit-pipeline-{name}"
            folder.mkdir()
            (folder / "pipeline.yml").write_text(json.dumps({"status": f"127.0.0.1:{port}"}))
        role = {"name": "metal.kafka.pipeline", "tasks_from": "check_ports"}
        task = {"ansible.builtin.include_role": role, "vars": {"pipeline_selected": [selected]}}
        given = {
            **BROKER,
            **{"cluster_name": "unit", "service_config_root": str(tmp_path)},
            **{"pipeline_pipelines": {name: {} for name in declared}},
            **{"pipeline_address": "127.0.0.1", **variables},
        }
        groups = {name: {"node1": given} for name in ("metal", "kafka", "pipeline")}
        return run(tmp_path, [{"hosts": "pipeline", "tasks": [task]}], groups)

    return check


RUNNING = {"a": 4050, "c": 4051}


def test_an_inserted_pipeline_is_refused(check_ports):
    code, output = check_ports(RUNNING, "abc", "b")
    assert code != 0
    text = " ".join(output.split())
    assert (
        "pipelines_name (P= of make): found b, but status ports of running pipelines move" in text
    )
    assert "from {'c': 4051} to {'c': 4052}; allowed: `make pipelines` without P" in text


def test_a_removed_pipeline_moves_ports_too(check_ports):
    assert check_ports({"a": 4050, "b": 4051, "c": 4052}, "bc", "b")[0] != 0


@pytest.mark.parametrize(
    ("declared", "selected", "variables"),
    [
        ("acb", "b", {}),
        ("ac", "a", {}),
        # Only its own port moves.
        ("bac", "c", {"pipeline_status_ports": {"a": 4050}}),
        ("abc", "b", {"pipeline_status_ports": {"c": 4051}}),
    ],
)
def test_a_pipeline_that_moves_no_other_is_accepted(check_ports, declared, selected, variables):
    code, output = check_ports(RUNNING, declared, selected, **variables)
    assert code == 0, output
