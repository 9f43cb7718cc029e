# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The certificates that listeners show to whoever connects, asked from outside."""

from __future__ import annotations

import hashlib
import socket
import ssl
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from .._common.deadlines import Deadline, side_by_side


def fingerprint(certificate: bytes) -> str:
    """SHA-256 of a certificate in binary form, hexadecimal."""
    return hashlib.sha256(certificate).hexdigest()


def shown(host: str, port: int, timeout: float) -> str:
    """Fingerprint of the certificate at ``host``; raises OSError.

    Who is there does not matter here: a certificate that nobody would trust is an answer as well.
    """
    anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anybody.check_hostname = False
    anybody.verify_mode = ssl.CERT_NONE
    with (
        socket.create_connection((host, port), timeout=timeout) as plain,
        anybody.wrap_socket(plain, server_hostname=host) as connection,
    ):
        return fingerprint(connection.getpeercert(binary_form=True) or b"")


def shown_by_all(
    endpoints: Sequence[Mapping[str, Any]], timeout: float
) -> tuple[dict[str, str], list[str]]:
    """Fingerprints by ``host:port``, asked at the same time; messages on who did not answer."""
    questions = {
        f"{at['host']}:{at['port']}": partial(shown, at["host"], at["port"], timeout)
        for at in endpoints
    }
    answers = side_by_side(questions, Deadline(timeout + 1))
    found = {place: answer for place, answer in answers.items() if isinstance(answer, str)}
    silent = [
        f"{place} shows no certificate: {answer}"
        for place, answer in answers.items()
        if not isinstance(answer, str)
    ]
    return found, silent
