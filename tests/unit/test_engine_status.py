"""Container engines as rows and problems of the status screen."""

import pytest
from ansible_collections.metal.kafka.plugins.filter.status import engine_status, platform_state
from kafka_metal_client import status
from kafka_metal_client.tables import Paint

WELL = {"status": 200, "msg": "OK (2 bytes)"}


def screen(response):
    """Return the status screen of a platform with one engine, and its problems."""
    row = engine_status(response, "node1", "/run/docker.sock")
    hosts = {"node1": {"docker_platform_status": row}}
    state = platform_state(hosts, "prod", ["node1:9092"])
    return status.render(state, Paint(False))


def test_responding_engine_is_a_row_and_no_problem():
    text, problems = screen(WELL)
    assert "engine@node1" in text
    assert problems == []


@pytest.mark.parametrize(
    ("response", "message"),
    [
        ({"status": -1, "msg": "Connection refused"}, "the engine of node1 does not respond on"),
        ({"status": 500}, "(status 500): make up starts it"),
        ({"status": -1, "msg": "Connection failure: timed out"}, "out): it hangs, restart it"),
        ({"unreachable": True, "msg": "ssh"}, "machine node1 is unreachable"),
    ],
)
def test_unresponsive_engine_is_a_problem_with_remedy(response, message):
    text, problems = screen(response)
    assert problems
    assert message in text
    assert "engine@node1 is down" in text
