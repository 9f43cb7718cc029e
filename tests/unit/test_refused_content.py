"""Output of a run when the cluster refuses its declared content."""

import pytest
from plays import BROKER, ROOT, run, with_modules


@pytest.fixture
def refused(tmp_path):
    """Function that runs the role with a module that fails with these results."""
    modules = with_modules(tmp_path, {"cluster_content": ""})

    def apply(check=False, early=False, variables=(), text="", **ends):
        failure = f"import json\nprint(json.dumps({ {'failed': True, **ends}!r}))\n"
        (modules / "cluster_content.py").write_text(text or f"#!/usr/bin/python\n{failure}")
        entry = {"name": "metal.kafka.kafka_content"}
        entry |= {"tasks_from": "validate_early"} if early else {}
        role = {"ansible.builtin.include_role": entry}
        play = {"hosts": "all", "gather_facts": False, "tasks": [role]}
        given = {**BROKER, "cluster_name": "unit", "kafka_content_bootstrap": ["127.0.0.1:1"]}
        given |= dict(variables)
        return run(tmp_path, [play], {"kafka": {"node1": given}}, *(["--check"] if check else []))

    return apply


def test_the_error_has_the_messages_of_the_module(refused):
    code, output = refused(msg="a; b", errors=["topic a: too many", "user b: unknown"])

    assert code != 0
    headline = next(line for line in output.splitlines() if line.startswith("[ERROR]"))
    assert headline.endswith("topic a: too many")
    assert "failed_when" not in headline
    assert "user b: unknown" in output


def test_a_failure_without_a_list_of_errors_prints_its_message(refused):
    code, output = refused(msg="no library")

    assert code != 0
    assert any(line.startswith("[ERROR]") and "no library" in line for line in output.splitlines())


def test_a_plan_of_a_new_site_does_not_fail(refused):
    assert refused(check=True, msg="no library", unanswered=True)[0] == 0
    assert refused(check=True, msg="no response", errors=["no response"], unanswered=True)[0] == 0


def test_a_plan_says_that_content_was_not_compared(refused):
    _, output = refused(check=True, msg="no broker responds", unanswered=True)
    assert "quotas cannot be compared until a broker responds: no broker responds" in output


def test_content_is_refused_before_brokers_change(refused):
    code, output = refused(early=True, msg="wrong", errors=["topic a: too many"])
    assert code != 0
    assert "topic a: too many" in output


def test_early_validation_needs_no_brokers(refused):
    code, output = refused(early=True, msg="no broker responds", unanswered=True)
    assert code == 0
    assert "cannot be compared until a broker responds: no broker responds" in output
    assert refused(msg="no broker responds", unanswered=True)[0] != 0


# A cluster with one broker: it refuses a topic, which is an error unless it is to be reported.
WITH_ONE_BROKER = """#!/usr/bin/python
from ansible.module_utils.basic import AnsibleModule, _load_params
options = {name: {"type": "raw"} for name in _load_params() if not name.startswith("_ansible")}
module = AnsibleModule(options, supports_check_mode=True)
if module.params["refused_steps"] == "fail":
    module.fail_json(msg="topic a: larger", errors=["topic a: larger"])
module.exit_json(refused=["topic a: larger"], content={}, applied={}, notes=[])
"""
REPORTED = "refused by the cluster now, validated again after brokers have changed: topic a: larger"


def test_what_present_brokers_refuse_does_not_stop_the_run_that_starts_more(refused):
    code, output = refused(early=True, text=WITH_ONE_BROKER)
    assert (code, REPORTED in output) == (0, True)
    code, output = refused(text=WITH_ONE_BROKER)
    assert (code != 0, REPORTED in output) == (True, False)


@pytest.mark.parametrize("reports", [True, False])
def test_notes_are_not_repeated_by_runs_that_change_nothing(refused, reports):
    """internal_content.yml passes it: a plan, and a run that compares content, report them."""
    text = WITH_ONE_BROKER.replace("notes=[]", 'notes=["topic b: kept"]').replace('"fail"', '"no"')
    variables = {"kafka_content_report_undeclared_keys": reports}
    code, output = refused(text=text, variables=variables)
    assert (code, "topic b: kept" in output) == (0, reports)


def test_a_plan_that_changes_brokers_reports_what_present_brokers_refuse(refused):
    changes = {"kafka_content_brokers_change": True}
    code, output = refused(check=True, text=WITH_ONE_BROKER, variables=changes)
    assert (code, REPORTED in output) == (0, True)
    assert refused(check=True, text=WITH_ONE_BROKER)[0] != 0


def test_a_plan_fails_if_the_content_is_invalid_or_cannot_be_read(refused):
    assert refused(check=True, msg="wrong", errors=["wrong"])[0] != 0
    assert refused(check=True, msg="MODULE FAILURE")[0] != 0


LOCK = {
    "include_role": {"name": "metal.kafka.roll", "tasks_from": "lock"},
    "vars": {"roll_operation": "change of content"},
}


@pytest.mark.parametrize(
    ("ends", "kept"),
    [
        # Everything is validated before the first change.
        ({"errors": ["topic a: too many"]}, False),
        # The connection may have ended after some changes.
        ({"errors": ["no response"], "unanswered": True}, True),
    ],
)
@pytest.mark.parametrize("entry", ["main", "validate"])
def test_a_refused_change_releases_its_lock(tmp_path, entry, ends, kept):
    lock = (ROOT / "plugins/modules/cluster_lock.py").read_text()
    failure = f"import json\nprint(json.dumps({ {'failed': True, 'msg': 'no', **ends}!r}))\n"
    modules = {
        "cluster_lock": lock.replace("operation_lock.DIRECTORY", repr(f"{tmp_path}/locks")),
        "cluster_content": f"#!/usr/bin/python\n{failure}",
    }
    with_modules(tmp_path, modules)
    role = {"include_role": {"name": "metal.kafka.kafka_content", "tasks_from": entry}}
    play = {"hosts": "kafka", "gather_facts": False, "tasks": [LOCK, role]}
    given = {**BROKER, "cluster_name": "unit", "kafka_content_bootstrap": ["127.0.0.1:1"]}
    given |= {"kafka_content_releases_lock": True, "roll_textfile_dir": ""}
    hosts = {name: {"node1": given} for name in ("metal", "kafka")}
    code, output = run(tmp_path, [play], hosts)

    assert code != 0
    assert "Acquire the lock on every machine" in output
    assert (tmp_path / "locks/unit.json").exists() is kept, output
