"""The page says what Prometheus says, and asks nobody once it is written."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from kafka_metal_dashboards.boards import BOARDS
from kafka_metal_dashboards.model import BYTES, COUNT, MOMENT, RATIO, SECONDS, Panel, Query
from kafka_metal_dashboards.page.__main__ import main
from kafka_metal_dashboards.page.asking import AskError, Line, Prometheus, Span
from kafka_metal_dashboards.page.plot import svg
from kafka_metal_dashboards.page.render import drawn, page
from kafka_metal_dashboards.page.units import shown

SPAN = Span(1_000_000.0, 1_000_060.0, 15.0)


class Answers(BaseHTTPRequestHandler):
    """Prometheus' API with one series for everything, which is refused with the word `broken`."""

    def do_GET(self) -> None:
        asked = parse_qs(urlparse(self.path).query)
        series: dict[str, object] = {"metric": {"__name__": "x", "instance": "kafka1<b>"}}
        if "query_range" in self.path:
            series["values"] = [[1_000_000 + 15 * n, str(n)] for n in range(4)] + [
                [1e6 + 60, "NaN"]
            ]
        else:
            series["value"] = [1_000_060, "3"]
        refused = "broken" in asked["query"][0]
        empty = "nothing" in asked["query"][0]
        body = json.dumps({"data": {"result": [] if empty else [series]}}).encode()
        self.send_response(400 if refused else 200)
        self.end_headers()
        self.wfile.write(b"parse error" if refused else body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def prometheus() -> Iterator[Prometheus]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Prometheus(f"http://127.0.0.1:{server.server_port}", "c")
    server.shutdown()


def test_a_page_has_every_panel_and_loads_nothing(prometheus: Prometheus):
    text = page(BOARDS, prometheus, SPAN)

    for board in BOARDS:
        for panel in board.panels:
            assert panel.title.replace("'", "&#39;") in text, panel.title
    assert "<svg" in text
    for loads in ("<script", "<link", "src=", "@import", "url(http"):
        assert loads not in text
    # What a label says is text.
    assert "kafka1<b>" not in text


@pytest.mark.parametrize(
    ("bad", "low", "red"),
    [(1.0, False, True), (4.0, False, False), (4.0, True, True), (None, False, False)],
)
def test_a_value_beyond_what_is_bad_is_red(prometheus: Prometheus, bad, low, red):
    found = drawn(Panel("t", "d", COUNT, (Query("x"),), "stat", bad, low), prometheus, SPAN)

    assert (found.value, found.bad) == ("3", red)


@pytest.mark.parametrize("kind", ["stat", "graph"])
def test_a_panel_without_figures_has_neither_picture_nor_value(prometheus: Prometheus, kind):
    found = drawn(Panel("t", "d", COUNT, (Query("nothing"),), kind), prometheus, SPAN)

    assert (found.picture, found.value, found.bad) == ("", "", False)


def test_a_question_that_is_refused_is_told(prometheus: Prometheus):
    with pytest.raises(AskError, match=r"refuses broken.*parse error"):
        drawn(Panel("t", "d", COUNT, (Query("broken"),)), prometheus, SPAN)


def test_lines_have_their_names_and_gaps_are_left_out(prometheus: Prometheus):
    (line,) = prometheus.over((Query("x", "of {{instance}}"),), SPAN)

    assert (line.name, line.values) == ("of kafka1<b>", (0.0, 1.0, 2.0, 3.0))


def test_a_picture_of_many_lines_names_eight():
    lines = [Line(f"line-{n}", (1e6, 1e6 + 60), (0.0, float(n))) for n in range(20)]

    text = svg(lines, COUNT)

    assert sum(f"line-{n}<" in text for n in range(20)) == 8


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.5, RATIO, "50 %"),
        (0.0042, SECONDS, "4.2 ms"),
        (90, SECONDS, "1.5 min"),
        (3 * 1024**3, BYTES, "3 GiB"),
        (1500, COUNT, "1.5 k"),
        (0, MOMENT, "1970-01-01 00:00 UTC"),
    ],
)
def test_numbers_are_what_people_read(value, unit, text):
    assert shown(value, unit) == text


def state(folder: Path, services: list[dict[str, str]]) -> Path:
    file = folder / "state.json"
    file.write_text(json.dumps({"cluster": "c", "services": services}))
    return file


@pytest.mark.parametrize(("written", "code"), [('user = "operator:secret"\n', 0), (None, 1)])
def test_a_prometheus_with_a_password_is_asked_as_the_operator(written, code, tmp_path, capsys):
    class Closed(Answers):
        def do_GET(self) -> None:
            if self.headers["Authorization"] == "Basic b3BlcmF0b3I6c2VjcmV0":
                super().do_GET()
            else:
                self.send_error(401)

    (tmp_path / "operator").mkdir()
    if written:
        (tmp_path / "operator/monitoring-web").write_text(written)
    with ThreadingHTTPServer(("127.0.0.1", 0), Closed) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        file = state(tmp_path, [{"name": "prometheus", "endpoint": url}])
        found = json.loads(file.read_text())
        file.write_text(json.dumps({**found, "access": str(tmp_path / "operator/client.conf")}))
        assert main([str(file), str(tmp_path / "report.html")]) == code
        server.shutdown()
    assert "secret" not in capsys.readouterr().err


def test_the_page_is_written_from_the_state_of_a_platform(prometheus, tmp_path, capsys):
    file = state(tmp_path, [{"name": "prometheus", "endpoint": prometheus.url}])

    assert main([str(file), str(tmp_path / "out/report.html")]) == 0
    assert "Kafka / Overview" in (tmp_path / "out/report.html").read_text()
    assert "report.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("services", "words", "told"),
    [
        ([], [], "nobody watches"),
        ([{"name": "prometheus", "endpoint": "http://127.0.0.1:1"}], [], "does not answer"),
        ([], ["--boards", "nosuch"], "no board nosuch; there are overview"),
    ],
)
def test_what_stands_against_a_page_is_told(tmp_path, capsys, services, words, told):
    assert main([str(state(tmp_path, services)), str(tmp_path / "out.html"), *words]) == 1
    assert told in capsys.readouterr().err
    assert not (tmp_path / "out.html").exists()
