"""The page of a cluster, in a real browser."""

import dataclasses
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
from kafka_metal_watch.cli import serve
from kafka_metal_watch.lag import Lag
from kafka_metal_watch.metrics import ClusterState
from kafka_metal_watch.overview import Broker, Overview, Topic
from kafka_metal_watch.page import application, page

NASTY = "<img src=x onerror=document.title='taken'>"
FOUND = ClusterState(
    overview=Overview(
        (
            Broker(1, "kafka1:9092", "a", registered=True, controller=True, leaders=2, replicas=2),
            Broker(2),
        ),
        (Topic("orders", 2, 2, 2, 0), Topic("payments", 3, 2, 0, 0), Topic(NASTY, 1, 1, 0, 0)),
    ),
    lags=(Lag("billing", "orders", 0, 5, 12345, 300.0),),
    members={("billing", "orders"): 1},
)


@pytest.fixture(scope="module")
def url() -> str:
    """Return the address of a page that the exporter's own server serves."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def now() -> str:
        found = dataclasses.replace(FOUND, read=time.time())
        return page(found, "prod", {}, time.time(), 15)

    serve(f"127.0.0.1:{port}", application(lambda *_: [b""], now))
    return f"http://127.0.0.1:{port}/"


def browse(url: str, folder: Path, *options: str) -> tuple[str, str]:
    """Return the document after its script ran, and the messages of the browser's console."""
    done = subprocess.run(
        [
            *(
                shutil.which("chromium") or "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
            ),
            *("--disable-dev-shm-usage", f"--user-data-dir={folder / 'profile'}"),
            *("--enable-logging=stderr", "--virtual-time-budget=3000", *options, "--dump-dom", url),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout, "\n".join(x for x in done.stderr.splitlines() if "CONSOLE" in x)


def rows(document: str) -> dict[str, bool]:
    """Return whether each row is visible, by the text of its first cell."""
    found = re.findall(r"<tr( hidden=\"\")?><td[^>]*>([^<]*)</td>", document)
    return {name: not hidden for hidden, name in found}


def test_page_shows_problems_and_all_rows(url: str, tmp_path: Path) -> None:
    document, console = browse(url, tmp_path)

    assert "Not registered: broker 2." in document
    assert "2 partitions are under-replicated." in document
    assert all(rows(document).values())
    assert {"1", "2", "orders", "payments", "billing"} <= set(rows(document))
    assert console == ""


def test_names_with_markup_are_escaped(url: str, tmp_path: Path) -> None:
    document, _ = browse(url, tmp_path)

    assert "<title>prod: 2 problems</title>" in document
    assert "<img" not in document


def test_page_filters_rows_by_the_fragment_of_its_address(url: str, tmp_path: Path) -> None:
    visible = rows(browse(f"{url}#pay", tmp_path)[0])

    assert visible["payments"]
    assert not visible["orders"]
    assert not visible["billing"]
