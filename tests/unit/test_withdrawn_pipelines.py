"""A pipeline that is no longer declared stops only when content may change too, and the reverse."""

import json
import shutil

import pytest
from plays import BROKER, ROOT, run, with_modules

# In place of a module: notes that it was called, and answers.
CALLED = """#!/usr/bin/python
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
print(json.dumps(%(answer)r))
"""
BOTH = "to confirm: -e '{kafka_content_confirm_removal: [users], pipeline_confirm_removal: true}'"
REFUSED = {
    "failed": True,
    "msg": "users",
    "errors": ["users: 1 of 1 are no longer declared", BOTH],
}
APPLIED = {"changed": True, "content": {"topics": {}}, "notes": [], "applied": {"users": {}}}
CHECKED, DONE, STOPPED = "content in check mode", "content", "driver"


def driver(name):
    labels = {"kafka-metal.instance": f"pipeline-{name}", "kafka-metal.cluster": "unit"}
    return {"Names": [f"/unit-pipeline-{name}"], "Labels": labels, "State": "running"}


@pytest.fixture
def happens(tmp_path):
    """Exit code, output, and in order what was asked of the cluster and of the engine."""

    def apply(running, declared, answer, *words):
        log = tmp_path / "log"
        log.touch()

        def module(name, answer):
            return CALLED % {"name": name, "log": str(log), "answer": answer}

        with_modules(tmp_path, {"cluster_content": module("content", answer)})
        docker = tmp_path / "ansible_collections/community/docker/plugins/modules"
        docker.mkdir(parents=True)
        found = {"changed": False, "containers": [driver(name) for name in running]}
        (docker / "docker_host_info.py").write_text(module("", found))
        (docker / "docker_container.py").write_text(module("driver", {"changed": True}))
        for name in ("topics", "internal_withdrawn", "internal_forget_passwords"):
            shutil.copy(ROOT / f"playbooks/{name}.yml", tmp_path)
        given = {
            **BROKER,
            **{"cluster_name": "unit", "service_config_root": str(tmp_path)},
            "kafka_content_bootstrap": ["127.0.0.1:1"],
            **{"kafka_content_record": f"{tmp_path}/record", "service_config_root": str(tmp_path)},
            **{"kafka_content_throttles": f"{tmp_path}/throttles"},
            **{"service_log_root": str(tmp_path)},
            "pipeline_pipelines": {name: {} for name in declared},
        }
        groups = {name: {"node1": given} for name in ("metal", "kafka", "pipeline")}
        code, output = run(tmp_path, [{"import_playbook": "topics.yml"}], groups, *words)
        return code, output, log.read_text().splitlines()

    apply.confirmed = lambda: json.loads((tmp_path / "log.confirmed").read_text())
    return apply


def test_content_that_is_refused_stops_no_driver(happens):
    code, output, calls = happens("abc", "ab", REFUSED)

    assert code != 0
    assert "users: 1 of 1 are no longer declared" in output
    assert set(calls) == {CHECKED}


def test_pipelines_that_are_refused_change_no_content(happens):
    code, output, calls = happens("ab", "", APPLIED)

    assert code != 0
    assert "pipelines: 2 of 2 applied before are no longer declared: a, b" in output
    assert "-e '{pipeline_confirm_removal: true}'" in output
    assert calls == [CHECKED]


def test_both_refusals_are_printed_with_one_confirmation(happens):
    _, output, calls = happens("ab", "", REFUSED)

    assert "pipelines: 2 of 2" in output
    assert "users: 1 of 1" in output
    assert calls == [CHECKED]
    # The module names every kind that it is told of.
    assert happens.confirmed() == ["pipelines"]
    assert "{pipeline_confirm_removal" not in output


def test_a_confirmation_that_was_given_is_asked_for_again(happens):
    given = "-e{pipeline_confirm_removal: true}"
    code, _, calls = happens("ab", "", REFUSED, given)

    assert (code, calls) == (2, [CHECKED])
    assert happens.confirmed() == ["pipelines"]


def test_a_driver_stops_before_the_content_changes(happens):
    code, output, calls = happens("abc", "ab", APPLIED)

    assert code == 0, output
    assert calls == [CHECKED, STOPPED, DONE]


def test_content_is_compared_once_where_no_driver_stops(happens):
    code, output, calls = happens("ab", "abc", APPLIED)

    assert code == 0, output
    assert calls == [DONE]


def test_a_plan_stops_nothing(happens):
    code, output, calls = happens("abc", "ab", APPLIED, "--check")

    assert code == 0, output
    assert calls == [CHECKED, "driver in check mode", CHECKED]


def test_a_plan_refuses_what_the_run_refuses(happens):
    assert happens("abc", "ab", REFUSED, "--check")[::2] == (2, [CHECKED])


def test_a_confirmation_that_says_no_is_none(happens):
    code, _, calls = happens("ab", "", APPLIED, "-epipeline_confirm_removal=false")

    assert (code, calls) == (2, [CHECKED])


def test_kinds_are_confirmed_by_names_between_commas_too(happens):
    happens("abc", "ab", REFUSED, "-ekafka_content_confirm_removal=users,acls")

    assert happens.confirmed() == ["users", "acls"]


def test_a_plan_fails_where_content_cannot_be_read(happens):
    broken = {"failed": True, "msg": "MODULE FAILURE"}
    code, output, _ = happens("", "", broken, "--check")

    assert code == 2
    assert "MODULE FAILURE" in output


def test_a_plan_of_a_site_without_brokers_is_made(happens):
    nobody = {"failed": True, "msg": "nobody answers", "unanswered": True}
    code, output, _ = happens("", "", nobody, "--check")

    assert code == 0, output
