"""The state that a driver reports, and its exit."""

import json
import signal
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_pipeline import cli, session
from kafka_metal_pipeline.progress import read_lag
from kafka_metal_pipeline.status import FAILED, RUNNING, Board, serve

BODY = {
    "source": {"topic": "in", "schema": "id STRING"},
    "outputs": {"all": {"sql": "TABLE events", "topic": "out"}},
    "invalid": "bad",
}


@pytest.fixture
def board() -> Board:
    return Board("payments", ["fraud", "invalid"])


@pytest.fixture
def address(board: Board) -> Iterator[str]:
    server = serve(board, "127.0.0.1:0")
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def get(url: str, credentials: str = "") -> tuple[int, dict[str, object]]:
    headers = {"Authorization": credentials} if credentials else {}
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, {}


def test_state_is_always_served_and_health_if_all_runs(board: Board, address: str) -> None:
    code, state = get(address)
    assert (code, state["name"], state["state"]) == (200, "payments", "starting")
    assert get(f"{address}/health")[0] == 503
    board.set_state(RUNNING)
    board.set_id("app-1")
    board.set_output("fraud", {"batch": 7, "lag": 12})
    assert get(f"{address}/health")[0] == 200
    outputs = get(f"{address}/status")[1]["outputs"]
    assert isinstance(outputs, dict)
    assert (outputs["fraud"]["batch"], outputs["fraud"]["lag"]) == (7, 12)
    assert outputs["invalid"] == {
        "batch": None,
        "input_rows": None,
        "rows_per_second": None,
        "lag": None,
        "batch_seconds": None,
        "running_seconds": None,
        "updated": None,
        "watermark": None,
        "state_rows": None,
        "input_rows_total": 0,
        "state": "starting",
        "exception": None,
        "restarts": 0,
        "retry_at": None,
        "failed_at": None,
        "archive": None,
    }
    board.set_state(FAILED)
    assert get(f"{address}/health")[0] == 503
    assert get(f"{address}/other")[0] == 404


def test_status_requires_credentials(board: Board, tmp_path: Path) -> None:
    credentials = tmp_path / "pages"
    credentials.write_text("b3BlcmF0b3I6eA==\n")
    server = serve(board, "127.0.0.1:0", credentials)
    address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        for path in ("", "/status", "/health", "/metrics", "/other"):
            assert get(address + path)[0] == 401
            assert get(address + path, "Basic b3BlcmF0b3I6")[0] == 401
        assert get(address, "Basic b3BlcmF0b3I6eA==")[1]["name"] == "payments"
        credentials.write_text("b3BlcmF0b3I6eQ==\n")
        assert get(address, "Basic b3BlcmF0b3I6eA==")[0] == 401
        assert get(address, "Basic b3BlcmF0b3I6eQ==")[1]["name"] == "payments"
        credentials.unlink()
        assert get(address, "Basic b3BlcmF0b3I6eQ==")[0] == 401
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("content", [None, "\n"])
def test_missing_credentials_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None
) -> None:
    credentials, file = tmp_path / "pages", tmp_path / "pipeline.yml"
    if content:
        credentials.write_text(content)
    site = {"bootstrap": ["b:1"], "checkpoint_root": "/x", "status": "127.0.0.1:4050"}
    file.write_text(
        json.dumps({"name": "p", **BODY, **site, "status_credentials_file": str(credentials)})
    )
    assert cli.main(["run", str(file)]) == 2
    assert f"status_credentials_file: found {credentials}" in capsys.readouterr().err


def test_lag_includes_all_partitions() -> None:
    source = {
        "endOffset": '{"payments":{"0":10,"1":5}}',
        "latestOffset": {"payments": {"0": 15, "1": 5, "2": 3}},
    }
    assert read_lag(source) == 8
    assert read_lag({"endOffset": None, "latestOffset": None}) is None


def test_driver_uses_its_declared_address_and_ports() -> None:
    declared = parse(
        "p",
        BODY
        | {
            "master": "spark://one:7077,two:7077",
            "driver_host": "driver1",
            "driver_port": 7001,
            "block_manager_port": 7002,
            "event_log_dir": "/shared/events",
            "resources": {"cores": 3, "executor_memory": "768m"},
            "spark_options": {"spark.executor.extraJavaOptions": "-Dx=y", "spark.ui.port": "1"},
        },
    )
    found = session.settings(declared)
    expected = {
        "spark.driver.host": "driver1",
        "spark.driver.bindAddress": "driver1",
        "spark.driver.port": "7001",
        "spark.driver.blockManager.port": "7002",
        "spark.ui.enabled": "false",
        "spark.eventLog.dir": "file:/shared/events",
        "spark.cores.max": "3",
        "spark.sql.shuffle.partitions": "3",
        "spark.executor.memory": "768m",
        "spark.ui.port": "1",
    }
    assert {key: found[key] for key in expected} == expected
    java = found["spark.executor.extraJavaOptions"]
    assert java.endswith(" -XX:ParallelGCThreads=1 -Dx=y")
    everywhere = session.settings(parse("p", BODY | {"driver_host": "0.0.0.0"}))
    assert everywhere["spark.driver.bindAddress"] == "0.0.0.0"
    assert everywhere["spark.driver.host"] not in ("0.0.0.0", "")


def test_check_prints_topics_or_all_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pipelines.yml"
    file.write_text(json.dumps({"p": BODY}))
    assert cli.main(["check", str(file)]) == 0
    assert capsys.readouterr().out == "pipeline p: reads in; writes bad, out\n"
    file.write_text(json.dumps({"p": BODY | {"invalid": "in"}, "q": {}}))
    assert cli.main(["check", str(file)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 4
    assert cli.main(["check", str(tmp_path / "none.yml")]) == 2


def test_pipeline_without_site_keys_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pipeline.yml"
    file.write_text(json.dumps({"name": "p", **BODY}))
    assert cli.main(["run", str(file)]) == 2
    keys = [line.split(": ")[1] for line in capsys.readouterr().err.splitlines()]
    assert keys == ["bootstrap", "checkpoint_root"]


def test_status_port_in_use_is_an_error(
    tmp_path: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pipeline.yml"
    site = {
        "bootstrap": ["b:1"],
        "checkpoint_root": "/x",
        "status": address.removeprefix("http://"),
    }
    file.write_text(json.dumps({"name": "p", **BODY, **site}))
    handlers = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    try:
        assert cli.main(["run", str(file)]) == 2
    finally:
        for number, handler in zip((signal.SIGTERM, signal.SIGINT), handlers, strict=True):
            signal.signal(number, handler)
    assert "status: found" in capsys.readouterr().err
    assert threading.current_thread() is threading.main_thread()


def test_infer_prints_a_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.csv"
    file.write_text("a,b\n1,x\n")
    assert cli.main(["infer", str(file)]) == 0
    assert capsys.readouterr().out == "`a` BIGINT, `b` STRING\n"
