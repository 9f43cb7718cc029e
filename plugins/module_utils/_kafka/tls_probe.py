# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Read the certificates that listeners present to clients."""

from __future__ import annotations

import hashlib
import socket
import ssl
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from .._common.deadlines import Deadline, run_in_parallel


def fingerprint(certificate: bytes) -> str:
    """Return the SHA-256 of a binary certificate, hexadecimal."""
    return hashlib.sha256(certificate).hexdigest()


def fingerprint_at(host: str, port: int, timeout: float) -> str:
    """Return the fingerprint of the certificate at ``host``; raises OSError.

    The certificate is not verified: untrusted certificates are compared too.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with (
        socket.create_connection((host, port), timeout=timeout) as plain,
        context.wrap_socket(plain, server_hostname=host) as connection,
    ):
        return fingerprint(connection.getpeercert(binary_form=True) or b"")


def fingerprints(
    endpoints: Sequence[Mapping[str, Any]], timeout: float
) -> tuple[dict[str, str], list[str]]:
    """Return fingerprints by ``host:port``, and messages on endpoints without a certificate."""
    probes = {
        f"{at['host']}:{at['port']}": partial(fingerprint_at, at["host"], at["port"], timeout)
        for at in endpoints
    }
    answers = run_in_parallel(probes, Deadline(timeout + 1))
    found = {place: answer for place, answer in answers.items() if isinstance(answer, str)}
    failed = [
        f"{place} presents no certificate: {answer}"
        for place, answer in answers.items()
        if not isinstance(answer, str)
    ]
    return found, failed
