"""SCRAM logins against a fake broker with salted passwords."""

import base64
import hashlib
import hmac
import socket
from types import SimpleNamespace

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._common.deadlines import Deadline
from ansible_collections.metal.kafka.plugins.module_utils._kafka import authentication
from ansible_collections.metal.kafka.plugins.module_utils._kafka.client import Connection
from ansible_collections.metal.kafka.plugins.module_utils._kafka.endpoints import ClusterError
from ansible_collections.metal.kafka.plugins.module_utils._kafka.scram import (
    HASHES,
    Key,
    Secret,
    hash_password,
)

HOW = "SCRAM-SHA-512"
ALICE = Key("alice", HOW)


class Broker:
    """The server's side of SCRAM after RFC 5802, for one connection."""

    def __init__(self, password="alice-secret", mechanisms=(HOW,), valid_proof=True):
        self.kept = hash_password(password, HOW, 4096)
        self.mechanisms, self.valid_proof = mechanisms, valid_proof
        self.socket = SimpleNamespace(close=lambda: None)
        self.messages = []

    def send(self, request):
        if not hasattr(request, "auth_bytes"):
            refused = request.mechanism not in self.mechanisms
            return SimpleNamespace(error_code=33 if refused else 0, mechanisms=[*self.mechanisms])
        self.messages.append(request.auth_bytes.decode())
        if len(self.messages) == 1:
            if "n=alice," not in self.messages[0]:
                return self.response(58)
            nonce = self.messages[0].rpartition("r=")[2]
            salt = base64.b64encode(self.kept.salt).decode()
            self.challenge = f"r={nonce}server,s={salt},i={self.kept.iterations}"
            return self.response(0, self.challenge)
        bare, _, proof = self.messages[1].rpartition(",p=")
        message = f"{self.messages[0][3:]},{self.challenge},{bare}".encode()
        client = hmac.digest(self.kept.salted, b"Client Key", HASHES[HOW])
        signature = hmac.digest(hashlib.sha512(client).digest(), message, HASHES[HOW])
        expected = bytes(a ^ b for a, b in zip(client, signature, strict=True))
        if base64.b64decode(proof) != expected:
            return self.response(58)
        server = hmac.digest(self.kept.salted, b"Server Key", HASHES[HOW])
        proved = hmac.digest(server, message, HASHES[HOW]) if self.valid_proof else b"guess"
        return self.response(0, f"v={base64.b64encode(proved).decode()}")

    @staticmethod
    def response(code, text=""):
        return SimpleNamespace(error_code=code, error_message="no", auth_bytes=text.encode())


@pytest.mark.parametrize(
    ("key", "secret", "result"),
    [
        (ALICE, Secret("alice-secret"), "accepted"),
        (ALICE, Secret("another-password"), "refused"),
        (Key("bob", HOW), Secret("alice-secret"), "refused"),
        (ALICE, Secret(hashed={HOW: hash_password("alice-secret", HOW, 4096)}), "refused"),
    ],
)
def test_only_the_current_password_is_accepted(key, secret, result):
    assert authentication.attempt(Broker(), key, secret) == result


def test_current_hashed_password_is_accepted():
    broker = Broker()
    assert authentication.attempt(broker, ALICE, Secret(hashed={HOW: broker.kept})) == "accepted"


@pytest.mark.parametrize(
    ("broker", "message"),
    [
        (
            Broker(mechanisms=("PLAIN",)),
            "the listener does not support SCRAM-SHA-512; allowed: PLAIN",
        ),
        (Broker(valid_proof=False), "the server could not prove that it has the same password"),
    ],
)
def test_other_login_errors_are_not_rejected_passwords(broker, message):
    with pytest.raises(authentication.LoginError, match=message):
        authentication.attempt(broker, ALICE, Secret("alice-secret"))


def test_password_is_not_sent():
    broker = Broker()
    authentication.attempt(broker, ALICE, Secret("alice-secret"))
    assert "alice-secret" not in "".join(broker.messages)


@pytest.fixture
def site(monkeypatch):
    """Passwords of fake brokers by address; other addresses refuse connections."""
    brokers = {}

    def line(server, context, request_timeout):
        if server not in brokers:
            raise ConnectionRefusedError(111, "Connection refused")
        return Broker(brokers[server])

    monkeypatch.setattr(authentication, "LoginConnection", line)
    return brokers


def check(servers, *keys):
    listener = authentication.Listener(servers, tls=False)
    secrets = dict.fromkeys(keys, Secret("alice-secret"))
    return authentication.check_logins(listener, servers, secrets, Deadline(5))


@pytest.mark.parametrize(
    ("brokers", "result"),
    [
        ({"a:1": "alice-secret", "b:1": "alice-secret"}, "accepted"),
        ({"a:1": "alice-secret", "b:1": "old-password"}, "refused"),
        ({"b:1": "alice-secret"}, "accepted"),
        ({}, "a:1: Connection refused"),
    ],
)
def test_results_of_all_responding_brokers_count(site, brokers, result):
    site.update(brokers)
    assert check(["a:1", "b:1"], ALICE) == {ALICE: result}


def test_many_users_are_checked_in_parallel(site):
    site["a:1"] = "alice-secret"
    keys = [Key("alice", HOW), *(Key(f"u{n}", HOW) for n in range(50))]
    results = check(["a:1"], *keys)
    assert [results[key] for key in keys[:3]] == ["accepted", "refused", "refused"]
    assert len(results) == 51


def test_without_a_listener_passwords_are_unverified():
    assert check([], ALICE) == {ALICE: "no listener to check it at is provided"}


SASL = {
    "security_protocol": "SASL_PLAINTEXT",
    "sasl_mechanism": HOW,
    "sasl_plain_username": "alice",
    "sasl_plain_password": "another-password",
}


def test_wrong_password_of_the_client_is_reported(site):
    site["a:1"] = "alice-secret"
    with pytest.raises(
        ClusterError,
        match="no broker accepts this client: a:1: user alice is unknown or its password is wrong",
    ):
        Connection(["a:1"], SASL, timeout=30)


def test_unreadable_certificates_are_reported():
    with pytest.raises(ClusterError, match="certificates cannot be read: No such file"):
        Connection(["a:1"], {"security_protocol": "SSL", "ssl_cafile": "/nowhere"}, timeout=3)


def test_listener_without_tls_is_reported(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as plain:
        port = plain.getsockname()[1]

        def closing(host, timeout):
            client = real(host, timeout)
            plain.accept()[0].close()
            return client

        real = socket.create_connection
        monkeypatch.setattr(socket, "create_connection", closing)
        with pytest.raises(ClusterError, match=rf"127.0.0.1:{port}: TLS: "):
            Connection([f"127.0.0.1:{port}"], {"security_protocol": "SSL"}, timeout=30)
