"""Certificates and states are read from servers on loopback sockets."""

import json
import ssl
import threading
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from socket import create_server

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from kafka_metal_watch import remote_state
from kafka_metal_watch.remote_reads import OF_PROMETHEUS, read_remote
from kafka_metal_watch.remote_state import certificate_expiry, driver_state, engines, master_state

UNTIL = (datetime.now(UTC) + timedelta(days=9)).replace(microsecond=0)


def keystore(folder, until):
    """Write a self-signed certificate and its key; return the folder."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "broker")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(until - timedelta(days=90))
        .not_valid_after(until)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (folder / "ca.pem").write_bytes(pem)
    (folder / "keystore.pem").write_bytes(pem + secret)
    return folder


@contextmanager
def listener(folder):
    """Run a TLS listener for one handshake; yield its endpoint."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "keystore.pem")
    with create_server(("127.0.0.1", 0)) as server:

        def accept():
            connection, _ = server.accept()
            try:
                context.wrap_socket(connection, server_side=True).close()
            except OSError:
                connection.close()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        thread.join(5)


def test_expiry_of_a_valid_certificate(tmp_path):
    with listener(keystore(tmp_path, UNTIL)) as endpoint:
        assert certificate_expiry(endpoint, str(tmp_path / "ca.pem")) == UNTIL.timestamp()


def test_expiry_of_an_expired_certificate_is_zero(tmp_path):
    past = datetime.now(UTC) - timedelta(days=1)
    with listener(keystore(tmp_path, past)) as endpoint:
        assert certificate_expiry(endpoint, str(tmp_path / "ca.pem")) == 0.0


def test_expiry_of_a_foreign_certificate_is_none(tmp_path):
    (tmp_path / "other").mkdir()
    keystore(tmp_path / "other", UNTIL)
    with listener(keystore(tmp_path, UNTIL)) as endpoint:
        assert certificate_expiry(endpoint, str(tmp_path / "other" / "ca.pem")) is None


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (
            json.dumps({"name": "payments", "state": "running", "outputs": {}}),
            {"name": "payments", "state": "running", "outputs": {}},
        ),
        (json.dumps({"name": "another", "state": "running", "outputs": {}}), None),
        (
            json.dumps({"name": "payments", "state": "running", "outputs": {"o": {"lag": "x"}}}),
            None,
        ),
        ("not json", None),
        (json.dumps([1]), None),
    ],
)
def test_only_a_valid_response_of_the_same_pipeline_is_a_state(body, found):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            """Log nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        assert driver_state(f"127.0.0.1:{server.server_port}", "payments") == found


@pytest.mark.parametrize(
    ("read", "path", "body"),
    [
        (master_state, "/json/", {"status": "ALIVE"}),
        (
            lambda endpoint, login: driver_state(endpoint, "a", login),
            "/status",
            {"name": "a", "state": "running", "outputs": {}},
        ),
    ],
)
def test_requests_have_the_login_of_driver_and_master(read, path, body):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.headers["Authorization"] == "Basic d29yZA==" else 401)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode() if self.path == path else b"")

        def log_message(self, *_):
            """Log nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        assert read(f"127.0.0.1:{server.server_port}", "d29yZA==") == body


RESULT = [{"metric": {"host": "m1"}, "value": [1.0, "12.5"]}]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"data": {"result": RESULT}}, {"m1": 12.5}),
        ({"data": {"result": []}}, {}),
        ({"data": {"result": [{"metric": {}}]}}, {}),
        ({"data": None}, {}),
        ({"error": "no such query"}, {}),
    ],
)
def test_engines_are_read_from_prometheus(body, found):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            expected = self.path.startswith("/api/v1/query?query=time%28%29%20-%20max")
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode() if expected else b"")

        def log_message(self, *_):
            """Log nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        assert engines(f"127.0.0.1:{server.server_port}") == found


def test_an_unreachable_server_has_neither_state_nor_certificate(tmp_path):
    with create_server(("127.0.0.1", 0)) as taken:
        endpoint = f"127.0.0.1:{taken.getsockname()[1]}"
    assert driver_state(endpoint, "payments") is None
    assert master_state(endpoint) is None
    keystore(tmp_path, UNTIL)
    assert certificate_expiry(endpoint, str(tmp_path / "ca.pem")) is None


@pytest.mark.parametrize(("login", "found"), [("d29yZA==", {"m1": 12.5}), ("", {})])
def test_requests_have_the_login_of_prometheus(login, found):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            known = self.headers["Authorization"] == "Basic d29yZA=="
            self.send_response(200 if known else 401)
            self.end_headers()
            self.wfile.write(json.dumps({"data": {"result": RESULT}}).encode() if known else b"")

        def log_message(self, *_):
            """Log nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        assert engines(f"127.0.0.1:{server.server_port}", login) == found


class Endless(BaseHTTPRequestHandler):
    """Responds as valid JSON that does not end; ``pause`` between parts, in seconds."""

    part, pause = b" " * 2**20, 0.0

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            while True:
                self.wfile.write(self.part)
                time.sleep(self.pause)

    def log_message(self, *_):
        """Log nothing."""


@contextmanager
def endless(handler):
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_response_without_end_is_refused_by_its_size():
    config = {"page_login": "", "prometheus_login": "", "ca_file": "", "certificates": []}
    with endless(Endless) as place:
        there = {"prometheus": place, "pipelines": {"a": place}, "masters": {"m": place}}
        found = read_remote({**config, **there})
    assert found.pipelines == {"a": None}
    assert found.unread["pipeline", "a"] == "its response is larger than 8 MiB"
    assert {kind for kind, _ in found.unread} == {"pipeline", "master", *OF_PROMETHEUS}


class EndlessHeader(Endless):
    """Sends a header that does not end."""

    def end_headers(self):
        self.wfile.write(b"HTTP/1.0 200 OK\r\nA: ")


@pytest.mark.parametrize("handler", [Endless, EndlessHeader])
def test_a_response_that_trickles_ends_by_the_time_limit(monkeypatch, handler):
    monkeypatch.setattr(remote_state, "TIMEOUT_S", 0.3)
    monkeypatch.setattr(Endless, "part", b" ")
    monkeypatch.setattr(Endless, "pause", 0.05)
    began = time.monotonic()
    with endless(handler) as place:
        assert driver_state(place, "a") is None
    assert time.monotonic() - began < 5
