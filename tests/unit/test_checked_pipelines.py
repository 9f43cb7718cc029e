"""Pipelines that were checked are not checked again in the same run."""

import pytest
from plays import BROKER, run, with_modules

# Logs its call, and returns a fixed result.
STUB = """#!/usr/bin/python
# WANT_JSON
import json
with open(%r, "a") as stream:
    stream.write("read\\n")
print(json.dumps({"changed": False, "containers": [], "images": []}))
"""
PIPELINE = {
    "source": {"topic": "in", "schema": "id STRING NOT NULL"},
    "outputs": {"o": {"sql": "SELECT id FROM events", "topic": "out"}},
    "invalid": "bad",
}


@pytest.mark.parametrize(
    ("pipelines", "options", "reads"),
    [
        # Nothing is left to check.
        ({}, [], 0),
        # Without the image: of drivers and the image, in both checks.
        ({"a": PIPELINE}, [], 4),
        # The plan has the same message only once.
        ({"a": PIPELINE}, ["--check"], 2),
    ],
)
def test_a_second_check_is_only_of_an_image_that_did_not_exist(tmp_path, pipelines, options, reads):
    with_modules(tmp_path, {})
    docker = tmp_path / "ansible_collections/community/docker/plugins/modules"
    docker.mkdir(parents=True)
    log = tmp_path / "log"
    log.touch()
    for name in ("docker_host_info", "docker_image_info"):
        (docker / f"{name}.py").write_text(STUB % str(log))
    role = {"name": "metal.kafka.pipeline", "tasks_from": "statements"}
    check = {"hosts": "pipeline", "tasks": [{"ansible.builtin.include_role": role}]}
    # As in site.yml.
    again = ["not ansible_check_mode", "not pipeline_statements_checked | default(false)"]
    second = {"hosts": "pipeline", "tasks": [{**check["tasks"][0], "when": again}]}
    given = {
        **BROKER,
        **{"cluster_name": "unit", "service_config_root": str(tmp_path)},
        **{"pipeline_pipelines": pipelines, "pipeline_address": "127.0.0.1"},
        "pipeline_shared_dir": str(tmp_path),
    }
    groups = {name: {"node1": given} for name in ("metal", "kafka", "pipeline")}

    code, output = run(tmp_path, [check, second], groups, *options)

    assert code == 0, output
    assert len(log.read_text().splitlines()) == reads, output
