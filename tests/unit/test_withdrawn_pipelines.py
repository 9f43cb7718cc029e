"""Pipelines are removed and content is changed only if both are allowed."""

import json
import shutil

import pytest
from plays import BROKER, ROOT, run, with_modules

# Stub of a module: logs its call and returns a fixed result.
MODULE_STUB = """#!/usr/bin/python
# WANT_JSON
import json, sys
with open(sys.argv[1]) as stream:
    given = json.load(stream)
if "removal" in given:
    with open(%(log)r + ".confirmed", "w") as stream:
        json.dump(given["removal"]["confirmed"], stream)
if %(name)r:
    with open(%(log)r, "a") as stream:
        stream.write(%(name)r + (" in check mode" if given["_ansible_check_mode"] else "") + "\\n")
print(json.dumps(%(result)r))
"""
BOTH = "to confirm: -e '{kafka_content_confirm_removal: [users], pipeline_confirm_removal: true}'"
REFUSED = {
    "failed": True,
    "msg": "users",
    "errors": ["users: 1 of 1 are no longer declared", BOTH],
}
APPLIED = {"changed": True, "content": {"topics": {}}, "notes": [], "applied": {"users": {}}}
PLAYBOOKS = (
    *("internal_content", "internal_outdate", "internal_withdrawn", "internal_declared_content"),
    "internal_forget_passwords",
)
CHECKED, DONE, STOPPED = "content in check mode", "content", "driver"


def driver(name):
    labels = {"kafka-metal.instance": f"pipeline-{name}", "kafka-metal.cluster": "unit"}
    return {"Names": [f"/unit-pipeline-{name}"], "Labels": labels, "State": "running"}


@pytest.fixture
def apply_content(tmp_path):
    """Function that applies content; returns exit code, output, and calls of modules in order."""

    def apply(running, declared, result, *options):
        log = tmp_path / "log"
        log.touch()

        def module(name, result):
            return MODULE_STUB % {"name": name, "log": str(log), "result": result}

        found = {"changed": False, "containers": [driver(name) for name in running]}
        with_modules(
            tmp_path,
            {"cluster_content": module("content", result), "service_info": module("", found)},
        )
        docker = tmp_path / "ansible_collections/community/docker/plugins/modules"
        docker.mkdir(parents=True)
        (docker / "docker_container.py").write_text(module("driver", {"changed": True}))
        for name in PLAYBOOKS:
            shutil.copy(ROOT / f"playbooks/{name}.yml", tmp_path)
        given = {
            **BROKER,
            **{"cluster_name": "unit", "service_config_root": str(tmp_path)},
            "kafka_content_bootstrap": ["127.0.0.1:1"],
            **{
                "kafka_content_applied_file": f"{tmp_path}/applied",
                "service_config_root": str(tmp_path),
            },
            **{"kafka_content_throttles": f"{tmp_path}/throttles"},
            **{"service_log_root": str(tmp_path)},
            "pipeline_pipelines": {name: {} for name in declared},
        }
        groups = {name: {"node1": given} for name in ("metal", "kafka", "pipeline")}
        plays = [{"import_playbook": "internal_content.yml"}]
        code, output = run(tmp_path, plays, groups, *options)
        return code, output, log.read_text().splitlines()

    apply.confirmed = lambda: json.loads((tmp_path / "log.confirmed").read_text())
    return apply


def test_refused_content_stops_no_driver(apply_content):
    code, output, calls = apply_content("abc", "ab", REFUSED)

    assert code != 0
    assert "users: 1 of 1 are no longer declared" in output
    assert set(calls) == {CHECKED}


def test_refused_pipelines_change_no_content(apply_content):
    code, output, calls = apply_content("ab", "", APPLIED)

    assert code != 0
    assert "pipelines: 2 of 2 applied before are no longer declared: a, b" in output
    assert "-e '{pipeline_confirm_removal: true}'" in output
    assert calls == [CHECKED]


def test_both_refusals_are_printed_with_one_confirmation(apply_content):
    _, output, calls = apply_content("ab", "", REFUSED)

    assert "pipelines: 2 of 2" in output
    assert "users: 1 of 1" in output
    assert calls == [CHECKED]
    # The module also prints kinds passed in `confirmed`.
    assert apply_content.confirmed() == ["pipelines"]
    assert "{pipeline_confirm_removal" not in output


def test_a_given_confirmation_is_in_the_printed_one(apply_content):
    given = "-e{pipeline_confirm_removal: true}"
    code, _, calls = apply_content("ab", "", REFUSED, given)

    assert (code, calls) == (2, [CHECKED])
    assert apply_content.confirmed() == ["pipelines"]


def test_a_driver_stops_before_the_content_changes(apply_content):
    code, output, calls = apply_content("abc", "ab", APPLIED)

    assert code == 0, output
    assert calls == [CHECKED, STOPPED, DONE]


def test_content_is_compared_once_if_no_driver_stops(apply_content):
    code, output, calls = apply_content("ab", "abc", APPLIED)

    assert code == 0, output
    assert calls == [DONE]


def test_a_plan_stops_nothing(apply_content):
    code, output, calls = apply_content("abc", "ab", APPLIED, "--check")

    assert code == 0, output
    assert calls == [CHECKED, "driver in check mode", CHECKED]


def test_a_plan_refuses_the_same_as_a_run(apply_content):
    assert apply_content("abc", "ab", REFUSED, "--check")[::2] == (2, [CHECKED])


def test_a_false_confirmation_is_none(apply_content):
    code, _, calls = apply_content("ab", "", APPLIED, "-epipeline_confirm_removal=false")

    assert (code, calls) == (2, [CHECKED])


def test_kinds_can_be_confirmed_by_names_separated_by_commas(apply_content):
    apply_content("abc", "ab", REFUSED, "-ekafka_content_confirm_removal=users,acls")

    assert apply_content.confirmed() == ["users", "acls"]


def test_a_plan_fails_if_content_cannot_be_read(apply_content):
    broken = {"failed": True, "msg": "MODULE FAILURE"}
    code, output, _ = apply_content("", "", broken, "--check")

    assert code == 2
    assert "MODULE FAILURE" in output


def test_a_plan_of_a_site_without_running_brokers_succeeds(apply_content):
    unreachable = {"failed": True, "msg": "no broker responds", "unanswered": True}
    code, output, _ = apply_content("", "", unreachable, "--check")

    assert code == 0, output
