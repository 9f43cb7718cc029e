import json
import socket
import threading

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._containers import container_state
from ansible_collections.metal.kafka.plugins.module_utils._host import engine_api

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
def engine(tmp_path):
    """An engine that returns prepared responses in order."""
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


def test_restarting_container_is_not_running(engine):
    found = container_state.inspect("a", engine((200, json.dumps(FOUND).encode())))
    assert (found.running, found.restarts, found.exit_code) == (False, 4, 1)
    assert found.started == 1795266000.5


def test_missing_container_is_no_error(engine):
    assert container_state.inspect("a", engine((404, b"{}"))) == container_state.Container()


def test_missing_engine_is_an_error(tmp_path):
    with pytest.raises(
        engine_api.NoResponseError, match=r"does not respond on .*none: No such file or directory"
    ):
        container_state.inspect("a", str(tmp_path / "none"))


def test_log_frames_are_decoded(engine):
    body = piece("one\ntw") + piece("o\n")
    assert container_state.read_log_tail("a", 5, path=engine((200, body))) == ["one", "two"]


def test_error_response_has_request_and_reason(engine):
    path = engine((500, b"no space left"))
    with pytest.raises(engine_api.EngineError, match=r"rejects /x: b'no space left'") as refusal:
        engine_api.get(path, "/x")
    assert not isinstance(refusal.value, engine_api.NoResponseError)


def test_timeout_is_a_hung_engine(tmp_path):
    path = str(tmp_path / "engine.sock")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        with pytest.raises(engine_api.NoResponseError) as found:
            engine_api.get(path, "/_ping", timeout=0.1)
    assert found.value.reason == "timed out"


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ((200, b'{"a": 1}'), {"a": 1}),
        ((404, b'{"message": "none"}'), None),
        ((500, b'{"message": "down"}'), None),
        ((200, b"no JSON"), None),
    ],
)
def test_get_json_returns_none_without_a_valid_response(engine, response, value):
    assert engine_api.get_json(engine(response), "/info") == value


def test_deleting_a_missing_container_is_no_error(engine):
    assert engine_api.delete(engine((404, b"{}")), "/containers/a") is None
