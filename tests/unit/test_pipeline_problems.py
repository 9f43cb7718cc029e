"""Problems of pipelines, from the state that a driver serves."""

import pytest
from ansible_collections.metal.kafka.plugins.filter.pipeline_checks import failed_drivers
from ansible_collections.metal.kafka.plugins.filter.pipeline_status import pipeline_status
from ansible_collections.metal.kafka.plugins.module_utils._problems import pipeline_problems

WELL = {"name": "p", "state": "running", "outputs": {"a": {"exception": None}}}


def texts(state, reason=""):
    return [each.text for each in pipeline_problems.problems("p", state, reason)]


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (WELL, []),
        ({**WELL, "last_error": "an old error", "failed_starts": 0}, []),
        (None, ["pipeline p does not respond: refused"]),
        ({**WELL, "state": "starting"}, ["pipeline p is starting"]),
        (
            {**WELL, "state": "starting", "failed_starts": 3, "last_error": "Bad: jar\n at x"},
            ["pipeline p is starting after 3 failed starts: Bad: jar"],
        ),
        (
            {**WELL, "state": "failing", "outputs": {"a": {"exception": "E: no\nstack"}}},
            ["pipeline p, output a: E: no"],
        ),
        ({**WELL, "state": "failing"}, ["pipeline p is failing"]),
        (
            {**WELL, "records": {"read": 1000, "invalid": 9, "recent": {"read": 9, "invalid": 9}}},
            [],
        ),
        (
            {
                **WELL,
                "records": {"recent": {"read": 500, "invalid": 500}, "reason": "not CSV\nmore"},
            },
            ["pipeline p: 500 of the last 500 records are invalid: not CSV"],
        ),
        ({**WELL, "records": {"recent": {"read": 1000, "invalid": 50}}}, []),
        (
            {**WELL, "declaration_error": "no YAML file\nline 1"},
            ["pipeline p does not run the declaration in its file: no YAML file line 1"],
        ),
        ({**WELL, "outputs": {"a": {"running_seconds": 119, "lag": 9}}}, []),
        ({**WELL, "outputs": {"a": {"running_seconds": 500, "planned_seconds": 200}}}, []),
        (
            {**WELL, "outputs": {"a": {"running_seconds": 140, "lag": 12000}}},
            ["pipeline p, output a: a batch has run for 140 s, and 12,000 records wait"],
        ),
        (
            {**WELL, "outputs": {"a": {"running_seconds": 140, "lag": None}}},
            ["pipeline p, output a: a batch has run for 140 s"],
        ),
        (
            {
                **WELL,
                "outputs": {
                    "a": {"running_seconds": 140, "lag": 7},
                    "b": {"running_seconds": 150, "lag": None},
                    "c": {"exception": "E: no"},
                    "d": {"exception": "E: no\nat d"},
                },
            },
            [
                "pipeline p, outputs c, d: E: no",
                "pipeline p, outputs a, b: a batch has run for 150 s, and 7 records wait",
            ],
        ),
        (
            {**WELL, "outputs": {"a": {"archive": {"missing": 2, "first": "a/b.parquet"}}}},
            ["pipeline p, output a: 2 finished files are missing, first a/b.parquet"],
        ),
    ],
)
def test_problems_name_the_pipeline_and_the_reason(state, expected):
    assert texts(state, "refused") == expected


GOOD = {"name": "p", "state": "running", "outputs": {}}


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ({"error": "Connection refused"}, "Connection refused"),
        ({"error": "HTTP status 401"}, "HTTP status 401"),
        ({"json": {**GOOD, "name": "q"}}, "its port is used by the driver of q"),
        ({"json": None}, "the response is no status of a driver: status: found nothing; allowed"),
        ({"json": {"name": "p"}}, "the response is no status of a driver: state: found nothing"),
        ({"json": GOOD}, ""),
    ],
)
def test_status_and_the_wait_for_drivers_give_the_same_reason(found, reason):
    response = {"error": "", "text": "", "json": None, **found}
    screen = pipeline_status({"p": response}, {"p": "h:1"})
    failed = failed_drivers([{"item": "p", "responses": {"p": response}}])
    assert len(screen["problems"]) == len(failed) == bool(reason)
    if reason:
        whole = screen["problems"][0]["text"].removeprefix("pipeline p does not respond: ")
        assert whole.startswith(reason)
        assert failed[0]["reason"] == f"no state from its status port: {whole}"
