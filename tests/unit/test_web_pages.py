"""Pages of several services are read at the same time; one that fails has its reason."""

import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._common import web_login
from ansible_collections.metal.kafka.plugins.module_utils._services import web_pages

LOGIN = web_login.basic_credentials("secret")


class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/slow":
            time.sleep(30)
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/private")
            self.end_headers()
            return
        code = 200
        if self.path == "/private" and self.headers.get("Authorization") != f"Basic {LOGIN}":
            code = 401
        self.send_response(code)
        self.end_headers()
        self.wfile.write(b"plain" if self.path == "/text" else b'{"a": 1}')

    def log_message(self, *_):
        pass


@pytest.fixture
def url():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_responses_have_text_and_json(url):
    found = web_pages.get_all({"a": f"{url}/a", "b": f"{url}/text"}, 2)
    assert found["a"] == {"error": "", "text": '{"a": 1}', "json": {"a": 1}}
    assert found["b"] == {"error": "", "text": "plain", "json": None}


def test_pages_with_a_password_need_the_login(url):
    assert web_pages.get_all({"a": f"{url}/private"}, 2)["a"]["error"] == "HTTP status 401"
    assert web_pages.get_all({"a": f"{url}/private"}, 2, LOGIN)["a"]["json"] == {"a": 1}


def test_the_target_of_a_redirect_does_not_get_the_login(url):
    assert web_pages.get_all({"a": f"{url}/moved"}, 2, LOGIN)["a"]["error"] == "HTTP status 401"


def test_a_response_that_is_too_large_is_an_error(url, monkeypatch):
    monkeypatch.setattr(web_pages, "LIMIT_BYTES", 7)
    found = web_pages.get_all({"a": f"{url}/a", "b": f"{url}/text"}, 2)
    assert found["a"] == {"error": "the response is larger than 0 MiB", "text": "", "json": None}
    assert found["b"]["text"] == "plain"


def test_failures_have_reasons_and_delay_no_other_page(url):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        begun = time.monotonic()
        found = web_pages.get_all(
            {
                "well": f"{url}/a",
                "closed": f"http://127.0.0.1:{unused.getsockname()[1]}/",
                "slow": f"{url}/slow",
                "wrong": "no url",
            },
            0.5,
        )
    assert time.monotonic() - begun < 3
    assert found["well"]["error"] == ""
    assert "refused" in found["closed"]["error"]
    assert "timed out" in found["slow"]["error"]
    assert found["wrong"]["error"]


def test_a_proxy_of_the_machine_is_not_used(url, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert web_pages.get_all({"a": f"{url}/a"}, 2)["a"]["error"] == ""
