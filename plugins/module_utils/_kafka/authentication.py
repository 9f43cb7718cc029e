# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Attempts to log in with SCRAM: one connection each, nothing asked of the cluster afterwards.

The library's client would be a thread, a metadata request and retries for each of them.
"""

from __future__ import annotations

import socket
import ssl
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

try:
    from kafka.protocol.parser import KafkaProtocol
    from kafka.protocol.sasl import SaslAuthenticateRequest, SaslHandshakeRequest
except ImportError:  # connecting.MISSING tells.
    pass

from .._common.deadlines import Deadline, query_all
from .endpoints import address, words_of
from .scram import ACCEPTED, MECHANISMS, REFUSED, Attempt, Key, ScramError, Secret

CLIENT = "kafka-metal"
# Attempts at once: a broker hashes nothing for them, but each is a thread and a connection here.
WIDTH = 16
# Of an attempt that gets no answer.
LOGIN_TIMEOUT = 5.0
WRONG_PASSWORD = 58


class LoginError(Exception):
    """A listener does not answer as one of SASL; nothing is known of the password."""


@dataclass(frozen=True)
class Listener:
    """Where to try, and for TLS whom to trust."""

    servers: Sequence[str]
    tls: bool = True
    settings: Mapping[str, Any] | None = None

    def context(self) -> ssl.SSLContext | None:
        """The same trust as the library's client has by these settings; raises LoginError."""
        if not self.tls:
            return None
        given = self.settings or {}
        try:
            context = ssl.create_default_context(cafile=given.get("ssl_cafile"))
            if given.get("ssl_certfile"):
                context.load_cert_chain(
                    given["ssl_certfile"], given.get("ssl_keyfile"), given.get("ssl_password")
                )
        except OSError as error:
            raise LoginError(f"certificates cannot be read: {words_of(error)}") from error
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.check_hostname = bool(given.get("ssl_check_hostname", True))
        return context


class Line:
    """A connection on which requests of the log-in are answered one by one."""

    def __init__(self, server: str, context: ssl.SSLContext | None, request_timeout: float) -> None:
        """Connect; raises OSError."""
        host, port = address(server)
        raw = socket.create_connection((host, port), timeout=request_timeout)
        self.protocol = KafkaProtocol(client_id=CLIENT)
        try:
            self.socket = context.wrap_socket(raw, server_hostname=host) if context else raw
        except Exception:
            raw.close()
            raise

    def ask(self, request: Any) -> Any:
        """The answer to one request; raises OSError or LoginError."""
        self.protocol.send_request(request)
        self.socket.sendall(self.protocol.send_bytes())
        while True:
            data = self.socket.recv(65536)
            if not data:
                raise LoginError("the connection was closed during the log-in")
            for _, answer in self.protocol.receive_bytes(data):
                return answer


def attempt(line: Line, key: Key, secret: Secret) -> str:
    """Try once: accepted or refused; raises LoginError, ScramError or OSError."""
    said = line.ask(SaslHandshakeRequest(version=1, mechanism=key.mechanism))
    if said.error_code:
        raise LoginError(f"the listener does not take {key.mechanism}")
    conversation = Attempt(key, secret, uuid.uuid4().hex)
    said = line.ask(SaslAuthenticateRequest(version=1, auth_bytes=conversation.first()))
    if said.error_code:
        # No such user on this broker, which is an answer: it may not have heard of it yet.
        return _refusal(said)
    final = conversation.final(said.auth_bytes)
    if final is None:
        return REFUSED
    said = line.ask(SaslAuthenticateRequest(version=1, auth_bytes=final))
    if said.error_code:
        return _refusal(said)
    if not conversation.confirmed(said.auth_bytes):
        raise LoginError("the server does not prove that it knows the password")
    return ACCEPTED


def _refusal(said: Any) -> str:
    if said.error_code == WRONG_PASSWORD:
        return REFUSED
    raise LoginError(said.error_message or f"error {said.error_code} of the broker")


def try_at(listener: Listener, server: str, key: Key, secret: Secret) -> str:
    """Accepted, refused, or why nobody knows; never raises."""
    try:
        line = Line(server, listener.context(), LOGIN_TIMEOUT)
    except Exception as error:
        return f"{server}: {words_of(error)}"
    try:
        return attempt(line, key, secret)
    except (LoginError, ScramError) as error:
        return f"{server}: {error}"
    except Exception as error:
        return f"{server}: {words_of(error)}"
    finally:
        line.socket.close()


def knock(server: str, config: Mapping[str, Any], request_timeout: float) -> None:
    """Come in as the library's client would with these settings, and leave.

    Raises OSError when nobody listens there, and LoginError when this client is not let in.
    """
    protocol = str(config.get("security_protocol", "PLAINTEXT"))
    listener = Listener([server], protocol.endswith("SSL"), config)
    if config.get("ssl_context") is not None:
        protocol, listener = "PLAINTEXT", Listener([server], False)
    try:
        line = Line(server, listener.context(), request_timeout)
    except ssl.SSLError as error:
        raise LoginError(f"TLS: {_reason(error)}") from error
    try:
        mechanism = config.get("sasl_mechanism")
        if not protocol.startswith("SASL_") or mechanism not in MECHANISMS:
            return
        key = Key(str(config.get("sasl_plain_username")), str(mechanism))
        if attempt(line, key, Secret(str(config.get("sasl_plain_password")))) == REFUSED:
            raise LoginError(f"{key.user} is refused: unknown, or with another password")
    except ScramError as error:
        raise LoginError(str(error)) from error
    finally:
        line.socket.close()


def _reason(error: ssl.SSLError) -> str:
    """What was wrong, without the place in the library's source."""
    told = getattr(error, "verify_message", "") or error.reason or str(error)
    return str(told).lower().replace("_", " ")


def try_all(
    listener: Listener, servers: Sequence[str], secrets: Mapping[Key, Secret], deadline: Deadline
) -> dict[Key, str]:
    """Try all secrets at each of ``servers``: accepted only when all that answer accept.

    A server that does not answer has no say when another does.
    """
    if not servers:
        return dict.fromkeys(secrets, "no listener to try it at is given")
    questions = [(key, server) for server in servers for key in secrets]
    answers = query_all(
        questions,
        lambda question: try_at(listener, question[1], question[0], secrets[question[0]]),
        deadline.left(),
        WIDTH,
    )
    results = {}
    for key in secrets:
        found = [answers.get((key, server), f"{server}: no answer in time") for server in servers]
        if REFUSED in found:
            results[key] = REFUSED
        elif ACCEPTED in found:
            results[key] = ACCEPTED
        else:
            results[key] = found[0]
    return results
