# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Check SCRAM logins: one connection each, without a request afterwards.

The client of kafka-python would need a thread, a metadata request and retries for each login.
"""

from __future__ import annotations

import socket
import ssl
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

try:
    from kafka.errors import for_code
    from kafka.protocol.parser import KafkaProtocol
    from kafka.protocol.sasl import SaslAuthenticateRequest, SaslHandshakeRequest
except ImportError:  # ``client.MISSING`` reports it.
    pass

from .._common.deadlines import Deadline, query_all
from .endpoints import error_text, parse_address
from .scram import ACCEPTED, MECHANISMS, REFUSED, Key, LoginAttempt, ScramError, Secret

CLIENT = "kafka-metal"
# Logins at the same time; each needs a thread and a connection. Brokers do not hash for a login.
PARALLEL = 16
# Seconds.
LOGIN_TIMEOUT = 5.0
WRONG_PASSWORD = 58


class LoginError(Exception):
    """A login failed for another reason than the password, so the password is unknown."""


@dataclass(frozen=True)
class Listener:
    """Servers of a SASL listener, and the client's settings for TLS."""

    servers: Sequence[str]
    tls: bool = True
    settings: Mapping[str, Any] | None = None

    def context(self) -> ssl.SSLContext | None:
        """Return the TLS context that kafka-python would use; None without TLS.

        Raises LoginError.
        """
        if not self.tls:
            return None
        settings = self.settings or {}
        try:
            context = ssl.create_default_context(cafile=settings.get("ssl_cafile"))
            if settings.get("ssl_certfile"):
                context.load_cert_chain(
                    settings["ssl_certfile"],
                    settings.get("ssl_keyfile"),
                    settings.get("ssl_password"),
                )
        except OSError as error:
            raise LoginError(f"certificates cannot be read: {error_text(error)}") from error
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.check_hostname = bool(settings.get("ssl_check_hostname", True))
        return context


class LoginConnection:
    """A connection for the requests of one login, sent one by one."""

    def __init__(self, server: str, context: ssl.SSLContext | None, request_timeout: float) -> None:
        """Connect; raises OSError."""
        host, port = parse_address(server)
        raw = socket.create_connection((host, port), timeout=request_timeout)
        self.protocol = KafkaProtocol(client_id=CLIENT)
        try:
            self.socket = context.wrap_socket(raw, server_hostname=host) if context else raw
        except Exception:
            raw.close()
            raise

    def send(self, request: Any) -> Any:
        """Return the response to one request; raises OSError or LoginError."""
        self.protocol.send_request(request)
        self.socket.sendall(self.protocol.send_bytes())
        while True:
            data = self.socket.recv(65536)
            if not data:
                raise LoginError("the connection was closed during the login")
            for _, answer in self.protocol.receive_bytes(data):
                return answer


def attempt(line: LoginConnection, key: Key, secret: Secret) -> str:
    """Log in once: ``accepted`` or ``refused``; raises LoginError, ScramError or OSError.

    Callers add the address of the listener to the errors.
    """
    answer = line.send(SaslHandshakeRequest(version=1, mechanism=key.mechanism))
    if answer.error_code:
        offered = ", ".join(answer.mechanisms or ()) or "none"
        raise LoginError(f"the listener does not support {key.mechanism}; allowed: {offered}")
    exchange = LoginAttempt(key, secret, uuid.uuid4().hex)
    answer = line.send(SaslAuthenticateRequest(version=1, auth_bytes=exchange.first()))
    if answer.error_code:
        # An unknown user is a rejection too: this broker may not have received it yet.
        return _rejection(answer)
    final = exchange.final(answer.auth_bytes)
    if final is None:
        return REFUSED
    answer = line.send(SaslAuthenticateRequest(version=1, auth_bytes=final))
    if answer.error_code:
        return _rejection(answer)
    if not exchange.confirmed(answer.auth_bytes):
        raise LoginError("the server could not prove that it has the same password")
    return ACCEPTED


def _rejection(answer: Any) -> str:
    if answer.error_code == WRONG_PASSWORD:
        return REFUSED
    raise LoginError(answer.error_message or for_code(answer.error_code).__name__)


def check_login(listener: Listener, server: str, key: Key, secret: Secret) -> str:
    """Return ``accepted``, ``refused``, or why the login could not be checked; never raises."""
    try:
        line = LoginConnection(server, listener.context(), LOGIN_TIMEOUT)
    except Exception as error:
        return f"{server}: {error_text(error)}"
    try:
        return attempt(line, key, secret)
    except (LoginError, ScramError) as error:
        return f"{server}: {error}"
    except Exception as error:
        return f"{server}: {error_text(error)}"
    finally:
        line.socket.close()


def check_access(server: str, config: Mapping[str, Any], request_timeout: float) -> None:
    """Connect and log in as kafka-python would with these settings, then disconnect.

    Raises OSError if the server is unreachable, and LoginError if it rejects this client.
    """
    protocol = str(config.get("security_protocol", "PLAINTEXT"))
    listener = Listener([server], protocol.endswith("SSL"), config)
    if config.get("ssl_context") is not None:
        protocol, listener = "PLAINTEXT", Listener([server], False)
    try:
        line = LoginConnection(server, listener.context(), request_timeout)
    except ssl.SSLError as error:
        raise LoginError(f"TLS: {_reason(error)}") from error
    try:
        mechanism = config.get("sasl_mechanism")
        if not protocol.startswith("SASL_") or mechanism not in MECHANISMS:
            return
        key = Key(str(config.get("sasl_plain_username")), str(mechanism))
        if attempt(line, key, Secret(str(config.get("sasl_plain_password")))) == REFUSED:
            raise LoginError(f"user {key.user} is unknown or its password is wrong")
    except ScramError as error:
        raise LoginError(str(error)) from error
    finally:
        line.socket.close()


def _reason(error: ssl.SSLError) -> str:
    """Return the reason without the line number in the library's source."""
    text = getattr(error, "verify_message", "") or error.reason or str(error)
    return str(text).lower().replace("_", " ")


def check_logins(
    listener: Listener, servers: Sequence[str], secrets: Mapping[Key, Secret], deadline: Deadline
) -> dict[Key, str]:
    """Check all secrets at each of ``servers``; accepted if every responding server accepts.

    Servers that do not respond are ignored if another one responds.
    """
    if not servers:
        return dict.fromkeys(secrets, "no listener to check it at is provided")
    logins = [(key, server) for server in servers for key in secrets]
    answers = query_all(
        logins,
        lambda login: check_login(listener, login[1], login[0], secrets[login[0]]),
        deadline.left(),
        PARALLEL,
    )
    results = {}
    for key in secrets:
        found = [answers.get((key, server), f"{server}: no response in time") for server in servers]
        if REFUSED in found:
            results[key] = REFUSED
        elif ACCEPTED in found:
            results[key] = ACCEPTED
        else:
            results[key] = found[0]
    return results
