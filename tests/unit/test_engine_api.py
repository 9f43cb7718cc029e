import json
import socket
import threading

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._containers import engine_api

FOUND = {
    "RestartCount": 4,
    "State": {
        "Running": True,
        "Restarting": True,
        "Status": "restarting",
        "ExitCode": 1,
        "StartedAt": "2026-11-21T13:00:00.5Z",
    },
}


def piece(text):
    return b"\x01\0\0\0" + len(text).to_bytes(4, "big") + text.encode()


@pytest.fixture
def answers(tmp_path):
    """An engine that gives one answer for each question, in order."""
    path = str(tmp_path / "engine.sock")
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()

    def start(*prepared):
        def serve():
            for status, body in prepared:
                client, _ = server.accept()
                client.recv(4096)
                head = f"HTTP/1.1 {status} x\r\nContent-Length: {len(body)}\r\n\r\n"
                client.sendall(head.encode() + body)
                client.close()

        threading.Thread(target=serve, daemon=True).start()
        return path

    yield start
    server.close()


def test_a_container_that_waits_for_its_next_try_does_not_run(answers):
    found = engine_api.inspect("a", answers((200, json.dumps(FOUND).encode())))
    assert (found.running, found.restarts, found.exit_code) == (False, 4, 1)
    assert found.started == 1795266000.5


def test_a_container_that_is_gone_is_an_answer(answers):
    assert engine_api.inspect("a", answers((404, b"{}"))) == engine_api.Container()


def test_an_engine_that_is_gone_is_an_error(tmp_path):
    with pytest.raises(engine_api.EngineError, match=r"does not answer on .*none"):
        engine_api.inspect("a", str(tmp_path / "none"))


def test_a_log_is_read_out_of_its_pieces(answers):
    body = piece("one\ntw") + piece("o\n")
    assert engine_api.log("a", 5, path=answers((200, body))) == ["one", "two"]


def test_recovery_is_the_sum_of_the_last_counters_of_each_log_dir():
    lines = [
        "loaded a with 1 segments in 5ms (1/3 completed in /data/1)",
        "loaded b with 1 segments in 5ms (1/4 completed in /data/2)",
        "loaded c with 1 segments in 5ms (2/3 completed in /data/1)",
    ]
    assert engine_api.recovered(lines) == (3, 7)
    assert engine_api.recovered(["started"]) is None
