"""What listeners show is asked over real connections; whoever is not trusted is told."""

import socket
import ssl
import threading
from datetime import UTC, datetime

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka import tls_probe
from ansible_collections.metal.kafka.plugins.module_utils._services import zookeeper_servers
from ansible_collections.metal.kafka.plugins.plugin_utils._security.pki import authority, leaf, pem

ANSWER = b"Zookeeper version: 3.9.5-1, built\nMode: leader\n"
NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A CA, and one who has a certificate of it for 127.0.0.1, as files."""
    folder = tmp_path_factory.mktemp("site")
    ours = authority.make("test", "test CA", 10, NOW)
    spec = leaf.Leaf("zk1", "ensemble-1", "test", ips=("127.0.0.1",))
    (folder / "ca.pem").write_text(pem.pem([ours.certificate]))
    (folder / "server.pem").write_text(leaf.issue(spec, ours, NOW).keystore())
    return folder


@pytest.fixture
def port(site):
    """The port of a server that answers over TLS whoever shows a certificate."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(site / "ca.pem"))
    context.load_cert_chain(site / "server.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                plain, _ = listener.accept()
            except OSError:
                return
            try:
                with context.wrap_socket(plain, server_side=True) as connection:
                    connection.recv(4)
                    connection.sendall(ANSWER)
            except OSError:
                plain.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield listener.getsockname()[1]
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(5)


def asked(port, tls):
    """The one server, asked as the ensemble's module does."""
    (server,) = zookeeper_servers.query_servers(
        [{"id": 1, "host": "127.0.0.1", "port": port}], 5, tls
    )
    return server


def test_a_server_answers_whom_its_ca_knows(site, port):
    tls = zookeeper_servers.tls_of(str(site / "ca.pem"), str(site / "server.pem"))

    assert asked(port, tls).mode == "leader"


def test_a_server_of_another_ca_is_no_member_of_the_ensemble(site, port, tmp_path):
    other = authority.make("other", "other CA", 10, NOW)
    (tmp_path / "ca.pem").write_text(pem.pem([other.certificate]))
    tls = zookeeper_servers.tls_of(str(tmp_path / "ca.pem"), str(site / "server.pem"))

    server = asked(port, tls)

    assert server.mode is None
    assert "certificate verify failed" in server.error


def test_a_client_without_a_certificate_gets_no_answer(site, port):
    assert asked(port, zookeeper_servers.tls_of(str(site / "ca.pem"), None)).mode is None


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        zookeeper_servers.tls_of(str(tmp_path / "ca.pem"), None)


def test_what_a_listener_shows_is_known_by_its_fingerprint(site, port):
    found, silent = tls_probe.shown_by_all([{"host": "127.0.0.1", "port": port}], 5)

    text = (site / "server.pem").read_text()
    certificate = text[text.index("-----BEGIN CERTIFICATE") :]
    binary = ssl.PEM_cert_to_DER_cert(certificate)
    assert found == {f"127.0.0.1:{port}": tls_probe.fingerprint(binary)}
    assert silent == []


def test_who_shows_nothing_is_told(port):
    with socket.create_server(("127.0.0.1", 0)) as free:
        closed = free.getsockname()[1]

    found, silent = tls_probe.shown_by_all([{"host": "127.0.0.1", "port": closed}], 5)

    assert found == {}
    assert len(silent) == 1
    assert f"127.0.0.1:{closed} shows no certificate" in silent[0]
