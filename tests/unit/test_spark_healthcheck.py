"""The health check restarts a Spark worker that stays unregistered at the leading master."""

import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

CHECK = Path(__file__).resolve().parents[2] / "images/spark/bin/spark-healthcheck"
WORKER = "worker-20260101000000-node2-7078"


class Pages:
    """A stub of a Spark process with a web page and its JSON."""

    def __init__(
        self, content: object, status: int = 200, login: str = "", seconds: float = 0
    ) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                time.sleep(seconds)
                body = json.dumps(content, indent=1) if self.path == "/json/" else "<html></html>"
                known = not login or self.headers["Authorization"] == f"Basic {login}"
                self.send_response(status if known else 401)
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def endpoint(self) -> str:
        return f"127.0.0.1:{self.server.server_port}"


def master(status: str, *workers: str) -> Pages:
    known = [{"id": worker, "state": "ALIVE"} for worker in workers]
    return Pages({"url": "spark://m:7077", "workers": known, "status": status})


class Check:
    """The health check of a worker, and a process in place of the worker."""

    def __init__(self, folder: Path) -> None:
        self.since = folder / "since"
        self.login_file = folder / "pages"
        self.worker = subprocess.Popen(["sleep", "60"])
        self.page = Pages({"id": WORKER, "masterurl": "spark://m:7077"})

    def run(self, *masters: Pages, page: Pages | None = None) -> int:
        host, port = (page or self.page).endpoint.split(":")
        return subprocess.run(
            [CHECK, host, port, *(each.endpoint for each in masters)],
            env={
                "PATH": "/usr/bin:/bin",
                "KAFKA_METAL_UNKNOWN_SINCE": str(self.since),
                "KAFKA_METAL_PAGES": str(self.login_file),
                "KAFKA_METAL_WORKER_PID": str(self.worker.pid),
            },
            check=False,
            capture_output=True,
        ).returncode

    def unregistered_for(self, seconds: int, seen: int = 10) -> None:
        """Record ``seconds`` without registration, with the last check ``seen`` seconds ago."""
        now = int(time.time())
        self.since.write_text(str(now - seconds))
        os.utime(self.since, (now - seen, now - seen))

    @property
    def runs(self) -> bool:
        try:
            self.worker.wait(0.3)
        except subprocess.TimeoutExpired:
            return True
        return False


@pytest.fixture
def check(tmp_path: Path) -> Iterator[Check]:
    made = Check(tmp_path)
    yield made
    made.worker.kill()
    made.worker.wait()


def test_a_page_that_responds_is_healthy_and_an_error_is_not(check: Check):
    assert check.run() == 0
    assert check.run(page=Pages({}, status=500)) != 0


def test_the_password_is_sent_to_a_page_that_requires_it(check: Check):
    secured = Pages({}, login="c2VjcmV0")
    assert check.run(page=secured) != 0
    check.login_file.write_text("d3Jvbmc=")
    assert check.run(page=secured) != 0
    check.login_file.write_text("c2VjcmV0")
    assert check.run(page=secured) == 0


class Watcher(threading.Thread):
    """Searches arguments and environments of all processes repeatedly for a secret."""

    def __init__(self, secret: str) -> None:
        super().__init__(daemon=True)
        self.secret, self.found, self.rounds, self.ends = secret.encode(), [], 0, threading.Event()

    def run(self) -> None:
        while not self.ends.is_set():
            self.rounds += 1
            for name in ("cmdline", "environ"):
                for file in Path("/proc").glob(f"[0-9]*/{name}"):
                    try:
                        text = file.read_bytes()
                    except OSError:
                        continue
                    if self.secret in text:
                        self.found.append(text)


def test_the_password_of_pages_is_never_in_an_argument_or_environment(check: Check):
    secret = "bmV2ZXItc2Vlbi1ieS1vdGhlcnM="
    check.login_file.write_text(secret)
    # Slow pages, so that the watcher sees every request.
    page = Pages({"id": WORKER}, login=secret, seconds=0.4)
    leader = Pages({"status": "ALIVE", "workers": [{"id": WORKER}]}, login=secret, seconds=0.4)
    watcher = Watcher(secret)
    watcher.start()
    try:
        assert [check.run(leader, page=page) for _ in range(3)] == [0, 0, 0]
    finally:
        watcher.ends.set()
        watcher.join()
    assert watcher.rounds > 5
    assert watcher.found == []


def test_a_registered_worker_is_healthy_and_its_record_is_deleted(check: Check):
    check.unregistered_for(1000)
    assert check.run(master("STANDBY"), master("ALIVE", "worker-other", WORKER)) == 0
    assert not check.since.exists()
    assert check.runs


def test_an_unregistered_worker_is_tolerated_for_a_minute(check: Check):
    assert check.run(master("ALIVE", "worker-other")) == 0
    assert check.since.exists()
    check.unregistered_for(30)
    assert check.run(master("ALIVE", "worker-other")) == 0
    assert check.runs


def test_a_worker_unregistered_for_a_minute_is_ended(check: Check):
    check.unregistered_for(61)
    assert check.run(master("STANDBY", WORKER), master("ALIVE", "worker-other")) != 0
    assert not check.runs


def test_time_without_checks_does_not_count(check: Check):
    check.unregistered_for(1000, seen=40)
    assert check.run(master("ALIVE", "worker-other")) == 0
    assert check.runs
    check.unregistered_for(61)
    assert check.run(master("ALIVE", "worker-other")) != 0
    assert not check.runs


@pytest.mark.parametrize("status", ["STANDBY", "RECOVERING", "COMPLETING_RECOVERY"])
def test_a_worker_is_healthy_while_no_master_leads(check: Check, status: str):
    check.unregistered_for(1000)
    assert check.run(master(status)) == 0
    assert check.runs


def test_an_unreachable_master_is_skipped(check: Check):
    stopped = master("ALIVE")
    stopped.server.shutdown()
    stopped.server.server_close()
    assert check.run(stopped, master("ALIVE", WORKER)) == 0
    assert check.runs
