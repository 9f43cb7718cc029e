"""Input of the check of pipelines, and messages from its result."""

import json

import pytest
from ansible.errors import AnsibleError
from ansible_collections.metal.kafka.plugins.filter.pipeline import pipeline_document
from ansible_collections.metal.kafka.plugins.filter.pipeline_checks import (
    check_notes,
    check_refusal,
    driver_finished_starting,
    drivers_refusal,
    failed_drivers,
    pipeline_statements,
    running_drivers,
)
from kafka_metal_declarations.declaration import parse_all

DECLARED = {
    "source": {"topic": "in", "schema": "id STRING NOT NULL"},
    "outputs": {"o": {"sql": "SELECT id FROM events", "topic": "out"}},
    "invalid": "bad",
}


def test_check_document_has_all_pipelines():
    text = pipeline_statements({"b": DECLARED, "a": DECLARED}, ["version"])

    found = parse_all(json.loads(text))

    assert set(found) == {"a", "b"}
    assert found["a"].site.sql_functions == ("version",)


def test_equal_declarations_give_equal_text_in_any_order():
    one = pipeline_statements({"a": DECLARED, "b": DECLARED}, [])
    other = pipeline_statements({"b": dict(reversed(DECLARED.items())), "a": DECLARED}, [])

    assert one == other
    assert one != pipeline_statements({"a": DECLARED, "b": DECLARED}, ["version"])


def test_a_change_of_resources_or_batch_size_needs_no_check():
    source = {**DECLARED["source"], "max_per_trigger": 5000}
    larger = {**DECLARED, "source": source, "resources": {"cores": 4}}
    later = {**DECLARED, "source": {**source, "starting": "latest"}}

    one = pipeline_statements({"a": DECLARED}, [])

    assert one == pipeline_statements({"a": larger}, [])
    assert one != pipeline_statements({"a": later}, [])


def test_declaration_cannot_allow_functions():
    declaration = {
        **DECLARED,
        "sql_functions": ["reflect"],
        "databases": {"d": {"password": "hidden"}},
    }

    checked = pipeline_statements({"a": declaration}, [])

    assert json.loads(checked)["a"]["sql_functions"] == []
    assert "hidden" not in checked
    with pytest.raises(AnsibleError, match="sql_functions: found"):
        pipeline_document(declaration, "a", {"sql_functions": []})


def test_missing_sample_is_named_with_pipeline_and_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    declared = {**DECLARED, "source": {"topic": "in", "schema": {"sample": "in.csv"}}}

    with pytest.raises(AnsibleError, match=r"pipeline a: source\.schema\.sample: found") as error:
        pipeline_statements({"a": declared}, [])

    assert f"{tmp_path}/in.csv" in str(error.value)
    assert f"a path from {tmp_path}" in str(error.value)


def test_check_document_has_roots_of_the_site():
    declaration = {**DECLARED, "checkpoint_root": "/elsewhere"}
    roots = {"checkpoint_root": "/shared/checkpoints", "archive_root": "/shared/archive"}

    text = pipeline_statements({"a": declaration}, [], {**roots, "event_log_dir": "/shared/events"})

    site = parse_all(json.loads(text))["a"].site
    assert (site.checkpoint_root, site.archive_root) == tuple(roots.values())
    assert site.event_log_dir is None


def test_restarting_drivers_do_not_count_as_running():
    def container(name, state):
        return {"Labels": {"kafka-metal.instance": f"pipeline-{name}"}, "State": state}

    found = [container("b", "running"), container("a", "running"), container("c", "restarting")]

    assert running_drivers(found) == ["a", "b"]


def test_refusal_names_pipeline_and_output_of_a_mismatched_checkpoint():
    line = (
        "pipeline payments: output metrics: no longer fits its checkpoint "
        "/shared/checkpoints/payments/metrics: it has another statement than its state: "
        "SELECT 1. Restore the old declaration, or give the output another name: it gets a new "
        "checkpoint."
    )

    message = check_refusal(
        {"status": 2, "container": {"Output": f"[2026] WARNING x\n{line}\n"}}, 15
    )

    assert message.splitlines() == [
        "No service was touched: 1 problem(s) in the declared pipelines",
        f"1. {line}",
        "Correct the declarations. What is allowed: docs/operate/guides/pipeline-sql.md and "
        "docs/operate/guides/pipeline-changes.md.",
    ]


def test_notes_on_damage_are_no_errors():
    log = (
        "note: pipeline a: output o: has committed batches up to 1\n"
        "pipeline a: reads in; writes bad, out\n"
    )

    assert check_notes({"status": 0, "container": {"Output": log}}) == [
        "pipeline a: output o: has committed batches up to 1"
    ]
    assert check_notes({"status": 0, "container": {"Output": None}}) == []


def test_refusal_lists_only_the_errors():
    log = (
        "WARNING: Using incubator modules\n"
        "pipeline a: outputs.o.sql: found the function reflect; allowed: another function\n"
        "pipeline b: rules.r: found a subquery; allowed: an expression over one record\n"
    )

    message = check_refusal({"status": 2, "container": {"Output": log}}, 15)

    assert "2 problem(s)" in message
    assert "1. pipeline a: outputs.o.sql" in message
    assert "2. pipeline b: rules.r" in message
    assert "WARNING" not in message


def test_timeout_of_the_check_is_reported():
    message = check_refusal(
        {"status": 124, "container": {"Output": "pipeline p: half a result"}}, 15
    )

    assert "took too long: found no result after 15 minutes" in message
    assert "half" not in message


@pytest.mark.parametrize("result", [{}, {"msg": "no space left"}, {"container": {"Output": "x"}}])
def test_failed_check_is_reported_with_its_output(result):
    assert "could not be checked" in check_refusal(result, 15)


def response(**state):
    body = {"name": "a", "state": "starting", "last_error": None, "failed_starts": 0, "outputs": {}}
    return result("a", json={**body, **state})


def result(name, **found):
    """The result of web_info for the driver of ``name``."""
    return {"item": name, "responses": {name: {"error": "", "text": "", "json": None, **found}}}


@pytest.mark.parametrize(
    ("state", "settled"),
    [
        ({"state": "running"}, True),
        ({}, False),
        ({"state": "failed", "last_error": "no column", "failed_starts": 1, "refused": True}, True),
        # A broker may not have started yet.
        ({"state": "failed", "last_error": "no broker", "failed_starts": 1}, False),
        ({"failed_starts": 2, "last_error": "no broker"}, False),
        ({"failed_starts": 3, "last_error": "no broker"}, True),
    ],
)
def test_failed_driver_ends_the_wait(state, settled):
    assert driver_finished_starting(response(**state), "a") is settled


def test_failures_before_a_restart_do_not_end_the_wait():
    earlier = response(failed_starts=3, last_error="no broker")

    assert not driver_finished_starting(earlier, "a", 3)
    assert not driver_finished_starting(response(failed_starts=5), "a", 3)
    assert driver_finished_starting(response(failed_starts=6), "a", 3)


WRITTEN = {"a": "new"}


def test_a_driver_that_runs_its_earlier_declaration_has_not_finished():
    old, new = (response(state="running", declaration=each) for each in ("old", "new"))

    assert not driver_finished_starting(old, "a", 0, WRITTEN)
    assert driver_finished_starting(new, "a", 0, WRITTEN)
    assert driver_finished_starting(old, "a", 0, {"other": "new"})
    assert [each["reason"] for each in failed_drivers([old], WRITTEN)] == [
        "it still runs its earlier declaration"
    ]
    assert failed_drivers([new], WRITTEN) == []


def test_a_driver_that_cannot_apply_its_declaration_ends_the_wait_with_the_reason():
    refused = response(
        state="running",
        declaration="old",
        declaration_in_file="new",
        declaration_error="no YAML file",
    )

    assert driver_finished_starting(refused, "a", 0, WRITTEN)
    (failed,) = failed_drivers([refused], WRITTEN)
    assert failed["reason"] == "no YAML file"


def test_an_error_of_an_earlier_file_does_not_end_the_wait():
    """It was edited by hand; the driver has not read the written one yet."""
    edited = response(
        state="running",
        declaration="old",
        declaration_in_file="edited",
        declaration_error="no YAML file",
    )

    assert not driver_finished_starting(edited, "a", 0, WRITTEN)
    (failed,) = failed_drivers([edited], WRITTEN)
    assert failed["reason"] == "it still runs its earlier declaration"


def test_a_driver_that_waits_for_its_registry_ends_the_wait_and_continues():
    state = {"state": "running", "declaration": "old", "declaration_in_file": "new"}
    waiting = response(**state, declaration_error="no schema", declaration_waits=True)

    assert driver_finished_starting(waiting, "a", 0, WRITTEN)
    failed = failed_drivers([waiting], WRITTEN)
    assert [(each["reason"], each["waits"]) for each in failed] == [("no schema", True)]
    message = drivers_refusal(failed, ["a"])
    assert "a: no schema\n  it has not stopped, and continues with its earlier" in message
    assert "the new one stays in its file" not in message
    assert "the new one stays in its file" in drivers_refusal(failed, [])


def test_a_driver_that_waits_names_its_failing_outputs():
    outputs = {"bad": {"exception": "has offsets of another topic", "restarts": 3}}
    state = {"state": "failing", "declaration": "old", "declaration_in_file": "new"}
    waiting = response(
        **state, declaration_error="no schema", declaration_waits=True, outputs=outputs
    )
    (failed,) = failed_drivers([waiting], WRITTEN)
    assert failed["reason"] == "no schema; output bad: has offsets of another topic"


def test_missing_response_does_not_end_the_wait():
    assert not driver_finished_starting(result("a", error="refused"), "a")
    assert not driver_finished_starting({"item": "a", "msg": "no module"}, "a")


VALID = response(state="running")["responses"]["a"]["json"]
COUNTS = {"read": 1, "invalid": 0}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ([1], "status: found [1]; allowed: an object of JSON"),
        ({}, "name: found nothing; allowed: a text"),
        ({**VALID, "state": None}, "state: found nothing; allowed: a text"),
        ({**VALID, "failed_starts": "many"}, "failed_starts: found 'many'; allowed: a number"),
        ({**VALID, "failed_starts": [3]}, "failed_starts: found [3]; allowed: a number"),
        ({**VALID, "outputs": ["o"]}, "outputs: found ['o']; allowed: an object of JSON"),
        ({**VALID, "outputs": {"o": "down"}}, "outputs.o: found 'down'; allowed: an object of"),
        (
            {**VALID, "outputs": {"o": {"exception": "e", "restarts": "3"}}},
            "outputs.o.restarts: found '3'; allowed: a number",
        ),
        ({**VALID, "records": "x"}, "records: found 'x'; allowed: an object of JSON"),
        ({**VALID, "records": {**COUNTS, "recent": {"read": "1"}}}, "records.recent.read: found"),
        ({**VALID, "records": {"read": 1}}, "records.invalid: found nothing; allowed: a number"),
        ({**VALID, "outputs": {"o": {"lag": "1"}}}, "outputs.o.lag: found '1'; allowed: a number"),
        ({**VALID, "outputs": {"o": {"archive": 3}}}, "outputs.o.archive: found 3; allowed: an"),
        (None, "status: found nothing; allowed: an object of JSON"),
    ],
)
def test_status_of_a_wrong_shape_is_no_status(body, reason):
    answer = result("a", json=body)
    assert not driver_finished_starting(answer, "a")
    (failed,) = failed_drivers([answer])
    assert failed["reason"].startswith(
        f"no state from its status port: the response is no status of a driver: {reason}"
    )
    assert failed["failed_starts"] == 0


def test_response_of_another_driver_does_not_count():
    other = result("b", json=VALID)

    assert not driver_finished_starting(other, "b")
    assert failed_drivers([other]) == [
        {
            "name": "b",
            "reason": "no state from its status port: its port is used by the driver of a",
            "failed_starts": 0,
            "waits": False,
        }
    ]


def test_refusal_has_reasons_and_restored_drivers():
    results = [
        response(state="running"),
        result(
            "b",
            json={
                **VALID,
                **{"name": "b", "state": "failed", "last_error": "no column x"},
                **{"failed_starts": 1, "refused": True},
            },
        ),
        result("c", error="Connection refused"),
    ]

    failed = failed_drivers(results)
    message = drivers_refusal(failed, ["b"])

    assert [each["name"] for each in failed] == ["b", "c"]
    assert "b: no column x (1 failed starts)\n  its last good declaration runs again" in message
    assert (
        "c: no state from its status port: Connection refused\n"
        "  there is no earlier good declaration to restore\n"
        "  -> make logs S=pipeline-c\n" in message
    )


def test_failing_output_ends_the_wait_with_its_error():
    def failing(restarts):
        outputs = {
            "good": {"exception": None, "restarts": 4},
            "bad": {"exception": "has offsets of another topic", "restarts": restarts},
        }
        return response(state="failing", outputs=outputs)

    assert not driver_finished_starting(failing(2), "a")
    assert driver_finished_starting(failing(3), "a")
    (failed,) = failed_drivers([failing(3)])
    assert failed["reason"] == "output bad: has offsets of another topic"
