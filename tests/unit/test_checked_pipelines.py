"""Pipelines that were checked are not checked again in the same run."""

import pytest
import yaml
from plays import BROKER, ROOT, run, with_modules

# Logs its name, and returns a fixed result.
STUB = """#!/usr/bin/python
# WANT_JSON
import json
with open(%r, "a") as stream:
    stream.write(%r + "\\n")
print(json.dumps(%r))
"""
PIPELINE = {
    "source": {"topic": "in", "schema": "id STRING NOT NULL"},
    "outputs": {"o": {"sql": "SELECT id FROM events", "topic": "out"}},
    "invalid": "bad",
}
READ, CHECK = "service_info", "docker_container"


def condition():
    """Condition of the second check in a run of the site."""
    imported = yaml.safe_load((ROOT / "playbooks/site.yml").read_text())
    _, second = [each for each in imported if "internal_statements.yml" in str(each)]
    return second["when"]


@pytest.mark.parametrize(
    ("has_image", "options", "calls"),
    [
        (True, [], [READ, CHECK]),
        # Only the second check may find the image.
        (False, [], [READ, READ]),
        # No image is built, so a second message would be the same.
        (False, ["--check"], [READ]),
    ],
)
def test_a_second_check_is_only_of_an_image_that_did_not_exist(tmp_path, has_image, options, calls):
    log = tmp_path / "log"
    log.touch()
    read = {
        **{"changed": False, "containers": [], "has_image": has_image, "line": ""},
        **{"has_directory": True, "engine_error": ""},
    }
    with_modules(tmp_path, {READ: STUB % (str(log), READ, read)})
    docker = tmp_path / "ansible_collections/community/docker/plugins/modules"
    docker.mkdir(parents=True)
    result = {"changed": False, "status": 0, "container": {"Output": ""}}
    (docker / f"{CHECK}.py").write_text(STUB % (str(log), CHECK, result))
    role = {"name": "metal.kafka.pipeline", "tasks_from": "statements"}
    task = {"ansible.builtin.include_role": role}
    plays = [
        {"hosts": "pipeline", "tasks": [task]},
        {"hosts": "pipeline", "tasks": [task | {"when": condition()}]},
    ]
    given = {
        **BROKER,
        **{"cluster_name": "unit", "service_config_root": str(tmp_path)},
        **{"pipeline_pipelines": {"a": PIPELINE}, "pipeline_address": "127.0.0.1"},
        "pipeline_shared_dir": str(tmp_path),
    }
    groups = {name: {"node1": given} for name in ("metal", "kafka", "pipeline")}

    code, output = run(tmp_path, plays, groups, *options)

    assert code == 0, output
    assert log.read_text().splitlines() == calls, output
