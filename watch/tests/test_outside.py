"""Real sockets on loopback: a listener that speaks TLS, and a driver that tells its state."""

import json
import ssl
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from socket import create_server

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from kafka_metal_watch.outside import certificate_expiry, driver_state, engines, master_state

UNTIL = (datetime.now(UTC) + timedelta(days=9)).replace(microsecond=0)


def keystore(folder, until):
    """A certificate that is its own CA, with its key."""
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
    shown = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (folder / "ca.pem").write_bytes(shown)
    (folder / "keystore.pem").write_bytes(shown + secret)
    return folder


@contextmanager
def listener(folder):
    """A listener that shakes hands once; gives its endpoint."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "keystore.pem")
    with create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _ = server.accept()
            try:
                context.wrap_socket(connection, server_side=True).close()
            except OSError:
                connection.close()

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        thread.join(5)


def test_a_listener_shows_until_when_its_certificate_is_valid(tmp_path):
    with listener(keystore(tmp_path, UNTIL)) as endpoint:
        assert certificate_expiry(endpoint, str(tmp_path / "ca.pem")) == UNTIL.timestamp()


def test_a_certificate_that_has_expired_expired_long_ago(tmp_path):
    past = datetime.now(UTC) - timedelta(days=1)
    with listener(keystore(tmp_path, past)) as endpoint:
        assert certificate_expiry(endpoint, str(tmp_path / "ca.pem")) == 0.0


def test_a_certificate_of_somebody_else_says_nothing(tmp_path):
    (tmp_path / "other").mkdir()
    keystore(tmp_path / "other", UNTIL)
    with listener(keystore(tmp_path, UNTIL)) as endpoint:
        assert certificate_expiry(endpoint, str(tmp_path / "other" / "ca.pem")) is None


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (
            json.dumps({"name": "payments", "outputs": {}}),
            {"name": "payments", "outputs": {}},
        ),
        (json.dumps({"name": "another", "outputs": {}}), None),
        ("not json", None),
        (json.dumps([1]), None),
    ],
)
def test_a_driver_that_answers_tells_its_state_and_nonsense_is_no_answer(said, found):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(said.encode())

        def log_message(self, *_):
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        assert driver_state(f"127.0.0.1:{server.server_port}", "payments") == found


@pytest.mark.parametrize(
    ("asked", "path", "said"),
    [
        (master_state, "/json/", {"status": "ALIVE"}),
        (
            lambda endpoint, word: driver_state(endpoint, "a", word),
            "/status",
            {"name": "a", "outputs": {}},
        ),
    ],
)
def test_who_asks_who_comes_is_shown_the_word(asked, path, said):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.headers["Authorization"] == "Basic d29yZA==" else 401)
            self.end_headers()
            self.wfile.write(json.dumps(said).encode() if self.path == path else b"")

        def log_message(self, *_):
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        assert asked(f"127.0.0.1:{server.server_port}", "d29yZA==") == said


RESULT = [{"metric": {"host": "m1"}, "value": [1.0, "12.5"]}]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({"data": {"result": RESULT}}, {"m1": 12.5}),
        ({"data": {"result": []}}, {}),
        ({"data": {"result": [{"metric": {}}]}}, {}),
        ({"data": None}, {}),
        ({"error": "no such query"}, {}),
    ],
)
def test_prometheus_tells_for_how_long_engines_are_silent(said, found):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked = self.path.startswith("/api/v1/query?query=time%28%29%20-%20max")
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(said).encode() if asked else b"")

        def log_message(self, *_):
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        assert engines(f"127.0.0.1:{server.server_port}") == found


def test_nobody_at_home_is_no_state_and_no_certificate(tmp_path):
    with create_server(("127.0.0.1", 0)) as taken:
        endpoint = f"127.0.0.1:{taken.getsockname()[1]}"
    assert driver_state(endpoint, "payments") is None
    assert master_state(endpoint) is None
    keystore(tmp_path, UNTIL)
    assert certificate_expiry(endpoint, str(tmp_path / "ca.pem")) is None


@pytest.mark.parametrize(("login", "found"), [("d29yZA==", {"m1": 12.5}), ("", {})])
def test_prometheus_that_asks_for_a_password_is_shown_it(login, found):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            known = self.headers["Authorization"] == "Basic d29yZA=="
            self.send_response(200 if known else 401)
            self.end_headers()
            self.wfile.write(json.dumps({"data": {"result": RESULT}}).encode() if known else b"")

        def log_message(self, *_):
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        assert engines(f"127.0.0.1:{server.server_port}", login) == found
