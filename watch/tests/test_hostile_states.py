"""Whatever a driver or a Spark master serves, the exporter has metrics, problems and its page."""

import copy
import json

import pytest
from kafka_metal_watch import remote_state
from kafka_metal_watch.findings import problems
from kafka_metal_watch.metrics import ClusterCollector, ClusterState
from kafka_metal_watch.page import page, problems_json
from prometheus_client import CollectorRegistry, generate_latest

TIME = "2026-01-01T00:00:10+00:00"
OUTPUT = {
    **{"state": "running", "exception": "", "restarts": 1, "updated": TIME, "failed_at": TIME},
    **{"lag": 1, "batch_seconds": 0.5, "planned_seconds": 6, "running_seconds": 1},
    **{"rows_per_second": 1.0, "archive": {"files": 9, "missing": 1, "first": "a"}},
}
DRIVER = {
    **{"name": "p", "state": "running", "failed_starts": 0, "last_error": None},
    "records": {"read": 5, "invalid": 1, "reason": "x", "recent": {"read": 50, "invalid": 30}},
    "outputs": {"o": OUTPUT},
}
MASTER = {
    **{"status": "ALIVE", "aliveworkers": 1, "cores": 4, "coresused": 2},
    **{"memory": 2048, "memoryused": 768, "activeapps": [{"state": "RUNNING"}]},
    "workers": [{"webuiaddress": "http://w1:8081", "state": "ALIVE"}],
}
# As JSON has them. 1e999 is infinite in Python.
VALUES = (
    *("null", "true", "-1", "1e999", "-1e999", "NaN", "1" + "0" * 400, '""', '"x"', '"\\ud800"'),
    *('"0001-01-01"', "[]", '["x"]', "[[]]", "{}", '{"a": 1}', '{"\\ud800": {}}'),
)


def paths(value, path=()):
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from paths(value[key], (*path, key))


def changed(good):
    """Return a good state with each of its values replaced or removed, as text."""
    for path in filter(None, paths(good)):
        whole = copy.deepcopy(good)
        place = whole
        for key in path[:-1]:
            place = place[key]
        for value in VALUES:
            place[path[-1]] = "<value>"
            yield json.dumps(whole).replace('"<value>"', value)
        del place[path[-1]]
        yield json.dumps(whole)


def displayed(text, monkeypatch):
    """Read a response as a driver's and as a master's; return the state of both."""
    monkeypatch.setattr(remote_state, "_content", lambda _: text.encode())
    for name in ("connect", "request", "getresponse"):
        monkeypatch.setattr(remote_state.http.client.HTTPConnection, name, lambda *_, **__: None)
    driver, master = remote_state.driver_state("h:1", "p"), remote_state.master_state("h:1")
    found = ClusterState(pipelines={"p": driver}, masters={"m": master}, workers={"w": "w1:8081"})
    registry = CollectorRegistry()
    registry.register(ClusterCollector(lambda: found, lambda state: problems(state, 100, 15)))
    generate_latest(registry)
    page(found, "prod", {}, 100, 15)
    problems_json(found, "prod", 100, 15)
    return driver, master


@pytest.mark.parametrize("good", [DRIVER, MASTER], ids=["driver", "master"])
def test_any_value_in_a_response_is_displayed_or_refused(good, monkeypatch):
    assert good in displayed(json.dumps(good), monkeypatch)
    for text in changed(good):
        displayed(text, monkeypatch)
