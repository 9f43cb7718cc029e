"""The page of a cluster, in a real browser."""

import dataclasses
import html
import json
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import hostile_names
import pytest
from kafka_metal_watch._problems.arrangement import places_of
from kafka_metal_watch.cli import serve
from kafka_metal_watch.lag import Lag
from kafka_metal_watch.metrics import ClusterState
from kafka_metal_watch.overview import Broker, Overview, Topic
from kafka_metal_watch.page import application, page

NASTY = "<img src=x onerror=document.title='taken'>"
ALERTS = tuple(
    {
        "state": "firing",
        "activeAt": "2026-01-01T00:00:00Z",
        "labels": {"alertname": "ConsumerStalled", "severity": "page", "instance": name},
        "annotations": {"summary": f"group {name} lags"},
    }
    for name in hostile_names.NAMES
)
FOUND = ClusterState(
    overview=Overview(
        (
            Broker(1, "kafka1:9092", "a", registered=True, controller=True, leaders=2, replicas=2),
            Broker(2),
        ),
        (Topic("orders", 2, 2, 2, 0), Topic("payments", 3, 2, 0, 0), Topic(NASTY, 1, 1, 0, 0)),
        under_replicated=("orders-0", "orders-1"),
    ),
    lags=(
        Lag("billing", "orders", 0, 5, 12345, 300.0),
        *(Lag(name, "orders", 0, 5, 1, 1.0) for name in hostile_names.NAMES),
    ),
    members={("billing", "orders"): 1},
    pipelines=dict.fromkeys(hostile_names.NAMES),
    alerts=ALERTS,
    places=places_of(
        {"instance": f"kafka{number}", "group": "kafka", "machine": f"m{number}", "job": "kafka"}
        for number in (1, 2)
    ),
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

    serve(f"127.0.0.1:{port}", application(lambda *_: [b""], now, lambda: "{}"))
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

    assert "broker 2 is not registered" in document
    assert "2 partitions are under-replicated: orders-0, orders-1" in document
    assert all(rows(document).values())
    assert {"1", "2", "orders", "payments", "billing"} <= set(rows(document))
    assert console == ""


def test_names_with_markup_are_escaped(url: str, tmp_path: Path) -> None:
    document, console = browse(url, tmp_path)

    # The broker, its partitions, and a pipeline and an alert for each name.
    count = 2 + 2 * len(hostile_names.NAMES)
    assert f"<title>prod: {count} problems</title>" in document
    assert "<img" not in document
    assert len(re.findall("<script", document)) == 1
    # Control characters and marks of text direction are escaped.
    assert not {"\x1b", "\x9b", "\u202e", "\u2066", "\b"} & set(document)
    assert console == ""


# A frame can have the width of a phone; the browser's own window is at least 500 pixels wide.
FRAME = """<!doctype html><body><iframe id="page" srcdoc="{page}" style="width:{width}px"></iframe>
<script>onload = () => {{
  const page = document.getElementById("page").contentDocument, body = page.body;
  const colour = (name, what) => getComputedStyle(page.querySelector(name))[what];
  document.body.dataset.seen = JSON.stringify({{
    width: page.documentElement.scrollWidth, paper: colour("body", "backgroundColor"),
    inks: ["body", "#problems li", "#problems li li", "td.bad", "header p"].map(
      each => colour(each, "color")),
  }});
}}</script>"""
# Width of the page in pixels, and number of the browser's colour scheme.
LOOKS = {"light": (1280, 1), "dark": (1280, 0), "phone": (390, 1)}


def luminance(colour: str) -> float:
    """Return the relative luminance of rgb(R, G, B), as WCAG 2 defines it."""
    parts = [int(each) / 255 for each in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("look", LOOKS)
def test_page_fits_and_is_legible(tmp_path: Path, look: str) -> None:
    width, scheme = LOOKS[look]
    text = page(dataclasses.replace(FOUND, read=time.time()), "prod", {}, time.time(), 15)
    frame = tmp_path / "frame.html"
    frame.write_text(FRAME.format(page=html.escape(text), width=width), encoding="utf-8")
    document, _ = browse(
        f"file://{frame}", tmp_path, f"--blink-settings=preferredColorScheme={scheme}"
    )
    seen = json.loads(html.unescape(re.search(r'data-seen="([^"]*)"', document)[1]))
    assert seen["width"] <= width
    paper = luminance(seen["paper"])
    assert (paper < 0.1) == (look == "dark")
    for ink in seen["inks"]:
        light, dark = sorted((luminance(ink), paper), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, ink


def test_page_filters_rows_by_the_fragment_of_its_address(url: str, tmp_path: Path) -> None:
    visible = rows(browse(f"{url}#pay", tmp_path)[0])

    assert visible["payments"]
    assert not visible["orders"]
    assert not visible["billing"]
