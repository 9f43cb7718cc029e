"""TLS probes over real connections, also with untrusted peers."""

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
    """Files of a CA, and of its certificate for 127.0.0.1."""
    folder = tmp_path_factory.mktemp("site")
    ca = authority.make_ca("test", "test CA", 10, NOW)
    spec = leaf.Leaf("zk1", "ensemble-1", "test", ips=("127.0.0.1",))
    (folder / "ca.pem").write_text(pem.to_pem([ca.certificate]))
    (folder / "server.pem").write_text(leaf.issue(spec, ca, NOW).keystore())
    return folder


@pytest.fixture
def port(site):
    """Port of a TLS server that requires client certificates."""
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


def read(port, tls):
    """State of the server, read as the module for the metadata service does."""
    servers = [{"id": 1, "host": "127.0.0.1", "port": port}]
    (server,) = zookeeper_servers.query_servers(servers, 5, tls)
    return server


def test_server_accepts_a_client_of_its_ca(site, port):
    tls = zookeeper_servers.tls_context(str(site / "ca.pem"), str(site / "server.pem"))

    assert read(port, tls).mode == "leader"


def test_server_of_another_ca_is_rejected(site, port, tmp_path):
    other = authority.make_ca("other", "other CA", 10, NOW)
    (tmp_path / "ca.pem").write_text(pem.to_pem([other.certificate]))
    tls = zookeeper_servers.tls_context(str(tmp_path / "ca.pem"), str(site / "server.pem"))

    server = read(port, tls)

    assert server.mode is None
    assert "certificate verify failed" in server.error


def test_client_without_a_certificate_is_rejected(site, port):
    assert read(port, zookeeper_servers.tls_context(str(site / "ca.pem"), None)).mode is None


def test_missing_file_is_named(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        zookeeper_servers.tls_context(str(tmp_path / "ca.pem"), None)


def test_fingerprint_of_a_listener_is_read(site, port):
    found, failed = tls_probe.fingerprints([{"host": "127.0.0.1", "port": port}], 5)

    text = (site / "server.pem").read_text()
    certificate = text[text.index("-----BEGIN CERTIFICATE") :]
    binary = ssl.PEM_cert_to_DER_cert(certificate)
    assert found == {f"127.0.0.1:{port}": tls_probe.fingerprint(binary)}
    assert failed == []


def test_endpoint_without_a_certificate_is_reported(port):
    with socket.create_server(("127.0.0.1", 0)) as free:
        unused = free.getsockname()[1]

    found, failed = tls_probe.fingerprints([{"host": "127.0.0.1", "port": unused}], 5)

    assert found == {}
    assert len(failed) == 1
    assert f"127.0.0.1:{unused} presents no certificate" in failed[0]
