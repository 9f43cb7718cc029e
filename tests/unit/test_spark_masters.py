"""State of a Spark cluster, read from its masters over real HTTP."""

import json
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from ansible_collections.metal.kafka.plugins.filter.spark import status
from ansible_collections.metal.kafka.plugins.module_utils._common import web_login
from ansible_collections.metal.kafka.plugins.module_utils._services import spark_masters
from ansible_collections.metal.kafka.plugins.plugin_utils._security import zookeeper_recovery

WORKERS = [{"name": "w1", "host": "10.0.0.5", "ui_port": 8081}]
REGISTERED = [{"state": "ALIVE", "webuiaddress": "http://10.0.0.5:8081"}]


@pytest.fixture
def page():
    """Return a function that serves a master's page with a status and workers."""
    servers = []

    def serve(name, status, workers=(), code=200, login=""):
        class Page(BaseHTTPRequestHandler):
            def do_GET(self):
                assert self.path == "/json/"
                known = not login or self.headers["Authorization"] == f"Basic {login}"
                self.send_response(code if known else 401)
                self.end_headers()
                self.wfile.write(json.dumps({"status": status, "workers": workers}).encode())

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return {"name": name, "host": "127.0.0.1", "port": 7077, "ui_port": server.server_port}

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def unreachable():
    """A master at an unused port."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield {"name": "m9", "host": "127.0.0.1", "port": 7077, "ui_port": bound.getsockname()[1]}


def state_of(masters, workers=WORKERS):
    states = spark_masters.query_masters(masters, timeout=2)
    return states, [each.text for each in spark_masters.problems(states, workers)]


def rows_of(states, masters):
    return status({"masters": states, "histories": []}, masters, WORKERS)["services"]


def test_pages_with_authentication_get_the_login(page):
    login = web_login.basic_credentials("secret")
    masters = [page("m1", "ALIVE", REGISTERED, login=login)]
    assert "401" in spark_masters.query_masters(masters, timeout=2)[0]["error"]
    assert spark_masters.query_masters(masters, timeout=2, login=login)[0]["status"] == "ALIVE"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[]", "the response: found []; allowed: an object of JSON"),
        ('{"status": 3}', "status: found 3; allowed: a text"),
        ('{"status": "ALIVE", "workers": ["w"]}', "workers: found ['w']; allowed: a list of"),
        ('{"status": "ALIVE", "workers": {"w": 1}}', "workers: found {'w': 1}; allowed: a list of"),
        ("[" * 100_000, "maximum recursion depth exceeded"),
        ("<html>", "Expecting value"),
    ],
)
def test_a_response_that_is_not_that_of_a_master_has_a_reason(monkeypatch, text, error):
    monkeypatch.setattr(spark_masters.web_pages, "get", lambda *_: text.encode())
    (found,), problems = state_of([{"name": "m1", "host": "127.0.0.1", "ui_port": 1}])
    assert error in found["error"]
    assert error in problems[0]


@pytest.mark.parametrize("query", [spark_masters.query_masters, spark_masters.query_histories])
def test_a_response_that_trickles_delays_no_result(query):
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def respond():
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
                for _ in range(80):
                    connection.sendall(b" ")
                    ended.wait(0.1)

        thread = threading.Thread(target=respond)
        thread.start()
        began = time.monotonic()
        place = {"name": "m1", "host": "127.0.0.1", "ui_port": server.getsockname()[1]}
        (found,) = query([place], 0.3)
        seconds = time.monotonic() - began
        ended.set()
        thread.join()
    assert seconds < 5
    assert found["error"] == "no response within 1.3 s"


def test_leader_and_standby_are_healthy(page):
    masters = [page("m1", "STANDBY"), page("m2", "ALIVE", REGISTERED)]
    states, problems = state_of(masters)
    assert problems == []
    assert spark_masters.find_leader(states)["name"] == "m2"
    rows = rows_of(states, masters)
    assert [(row["name"], row["health"]) for row in rows] == [
        ("m1", "healthy"), ("m2", "healthy"), ("w1", "healthy"),
    ]  # fmt: skip
    assert rows[0]["note"].startswith("standby, page 127.0.0.1:")
    assert rows[1]["note"].startswith("leader, ")


def test_unreachable_standby_is_a_problem(page, unreachable):
    masters = [page("m1", "ALIVE", REGISTERED), unreachable]
    states, problems = state_of(masters)
    (problem,) = problems
    assert problem.startswith(f"m9 does not respond at 127.0.0.1:{unreachable['ui_port']}: ")
    rows = rows_of(states, masters)
    assert [row["state"] for row in rows] == ["running", "down", "running"]


def test_no_leader_is_a_problem(page):
    _, problems = state_of([page("m1", "STANDBY"), page("m2", "STANDBY")])
    assert problems == ["the Spark cluster has no leading master"]


def test_two_leaders_are_a_problem(page):
    _, problems = state_of([page("m1", "ALIVE", REGISTERED), page("m2", "ALIVE", REGISTERED)])
    assert problems == ["the Spark cluster has no leading master"]


def test_recovering_master_is_a_problem(page):
    states, problems = state_of([page("m1", "RECOVERING", REGISTERED)])
    assert problems[0] == "m1 is RECOVERING, neither ALIVE nor STANDBY"
    (row, _) = rows_of(states, [{"name": "m1", "host": "h", "port": 7077}])
    assert (row["state"], row["note"].split(",")[0]) == ("down", "recovering")


@pytest.mark.parametrize("workers", [[], [{**REGISTERED[0], "state": "DEAD"}]])
def test_unregistered_worker_is_reported_by_name(page, workers):
    _, problems = state_of([page("m1", "ALIVE", workers)])
    assert problems == ["w1 is not registered with m1"]


def test_invalid_response_is_a_problem(page):
    _, problems = state_of([page("m1", "ALIVE", REGISTERED, code=503)])
    assert "m1 does not respond" in problems[0]


def test_a_state_that_was_not_read_is_a_problem():
    (problem,) = status({"msg": "no Python"}, [], WORKERS)["problems"]
    assert (problem["kind"], problem["text"]) == (
        "ReadFailed", "the state of Spark was not read: no Python",
    )  # fmt: skip


def test_master_without_zookeeper_has_no_recovery():
    assert zookeeper_recovery.recovery_options([], "/spark", {}) == ""


def test_master_authenticates_to_zookeeper_by_certificate():
    files = {"keys": "/e/ensemble.pem", "trusted": "/e/ca.pem"}
    options = zookeeper_recovery.recovery_options(["a:1", "b:2"], "/spark", files).split()
    assert "-Dspark.deploy.zookeeper.url=a:1,b:2" in options
    assert "-Dspark.deploy.zookeeper.dir=/spark" in options
    assert "-Dzookeeper.client.secure=true" in options
    assert "-Dzookeeper.ssl.keyStore.location=/e/ensemble.pem" in options
    assert "-Dzookeeper.ssl.trustStore.location=/e/ca.pem" in options
    open_ones = zookeeper_recovery.recovery_options(["a:1"], "/spark", {})
    assert "zookeeper.ssl" not in open_ones
