"""The page has the data of Prometheus and no external resources."""

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
from kafka_metal_dashboards.page.plot import svg
from kafka_metal_dashboards.page.prometheus_api import Line, Prometheus, QueryError, Span
from kafka_metal_dashboards.page.render import page, render_panel
from kafka_metal_dashboards.page.units import format_value

SPAN = Span(1_000_000.0, 1_000_060.0, 15.0)


class Api(BaseHTTPRequestHandler):
    """An API of Prometheus that returns one series, and rejects queries with `broken`."""

    def do_GET(self) -> None:
        parameters = parse_qs(urlparse(self.path).query)
        series: dict[str, object] = {"metric": {"__name__": "x", "instance": "kafka1<b>"}}
        if "query_range" in self.path:
            series["values"] = [[1_000_000 + 15 * n, str(n)] for n in range(4)] + [
                [1e6 + 60, "NaN"]
            ]
        else:
            series["value"] = [1_000_060, "3"]
        rejected = "broken" in parameters["query"][0]
        empty = "nothing" in parameters["query"][0]
        body = json.dumps({"data": {"result": [] if empty else [series]}}).encode()
        self.send_response(400 if rejected else 200)
        self.end_headers()
        self.wfile.write(b"parse error" if rejected else body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def prometheus() -> Iterator[Prometheus]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Prometheus(f"http://127.0.0.1:{server.server_port}", "c")
    server.shutdown()


def test_a_page_has_all_panels_and_no_external_resources(prometheus: Prometheus):
    text = page(BOARDS, prometheus, SPAN)

    for board in BOARDS:
        for panel in board.panels:
            assert panel.title.replace("'", "&#39;") in text, panel.title
    assert "<svg" in text
    for reference in ("<script", "<link", "src=", "@import", "url(http"):
        assert reference not in text
    # Labels are escaped.
    assert "kafka1<b>" not in text


@pytest.mark.parametrize(
    ("bad", "low", "red"),
    [(1.0, False, True), (4.0, False, False), (4.0, True, True), (None, False, False)],
)
def test_a_bad_value_is_red(prometheus: Prometheus, bad, low, red):
    found = render_panel(Panel("t", "d", COUNT, (Query("x"),), "stat", bad, low), prometheus, SPAN)

    assert (found.value, found.bad) == ("3", red)


@pytest.mark.parametrize("kind", ["stat", "graph"])
def test_a_panel_without_data_has_neither_picture_nor_value(prometheus: Prometheus, kind):
    found = render_panel(Panel("t", "d", COUNT, (Query("nothing"),), kind), prometheus, SPAN)

    assert (found.picture, found.value, found.bad) == ("", "", False)


def test_a_rejected_query_raises_an_error_with_the_reason(prometheus: Prometheus):
    with pytest.raises(QueryError, match=r"rejects broken.*parse error"):
        render_panel(Panel("t", "d", COUNT, (Query("broken"),)), prometheus, SPAN)


def test_lines_have_names_and_no_nan(prometheus: Prometheus):
    (line,) = prometheus.over((Query("x", "of {{instance}}"),), SPAN)

    assert (line.name, line.values) == ("of kafka1<b>", (0.0, 1.0, 2.0, 3.0))


def test_the_legend_has_at_most_eight_names():
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
def test_format_value_adds_the_unit(value, unit, text):
    assert format_value(value, unit) == text


def state(folder: Path, services: list[dict[str, str]]) -> Path:
    file = folder / "state.json"
    file.write_text(json.dumps({"cluster": "c", "services": services}))
    return file


@pytest.mark.parametrize(("written", "code"), [('user = "operator:secret"\n', 0), (None, 1)])
def test_the_page_uses_the_login_of_the_operator(written, code, tmp_path, capsys):
    class Protected(Api):
        def do_GET(self) -> None:
            if self.headers["Authorization"] == "Basic b3BlcmF0b3I6c2VjcmV0":
                super().do_GET()
            else:
                self.send_error(401)

    (tmp_path / "operator").mkdir()
    if written:
        (tmp_path / "operator/monitoring-web").write_text(written)
    with ThreadingHTTPServer(("127.0.0.1", 0), Protected) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        file = state(tmp_path, [{"name": "prometheus@node1", "endpoint": url}])
        found = json.loads(file.read_text())
        file.write_text(json.dumps({**found, "access": str(tmp_path / "operator/client.conf")}))
        assert main([str(file), str(tmp_path / "report.html")]) == code
        server.shutdown()
    assert "secret" not in capsys.readouterr().err


def test_the_page_is_written_from_a_state_file(prometheus, tmp_path, capsys):
    file = state(tmp_path, [{"name": "prometheus@node1", "endpoint": prometheus.url}])

    assert main([str(file), str(tmp_path / "out/report.html")]) == 0
    assert "Kafka / Overview" in (tmp_path / "out/report.html").read_text()
    assert "report.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("services", "options", "message"),
    [
        ([], [], "no Prometheus"),
        ([{"name": "prometheus@node1", "endpoint": "http://127.0.0.1:1"}], [], "does not respond"),
        ([], ["--boards", "nosuch"], "unknown board nosuch; allowed: overview"),
    ],
)
def test_errors_are_printed_and_no_page_is_written(tmp_path, capsys, services, options, message):
    assert main([str(state(tmp_path, services)), str(tmp_path / "out.html"), *options]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out.html").exists()
