# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""SCRAM (RFC 5802): what a cluster keeps of a password, and whether that is still this password.

Kafka takes a password as its bytes in UTF-8, without SASLprep.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from dataclasses import dataclass

MECHANISMS = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
MECHANISM = "SCRAM-SHA-512"
# The fewest that Kafka takes. A generated password has 190 bits: more rounds would slow down logins
# and protect nothing.
ITERATIONS = 4096
SALT_BYTES = 32


class ScramError(ValueError):
    """A text is no credential; the text itself is not shown."""


@dataclass(frozen=True)
class Credential:
    """What the cluster keeps. The password cannot be told from it, but guesses can be tried."""

    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int

    def __repr__(self) -> str:
        """Without keys: representations end up in logs."""
        return f"Credential(iterations={self.iterations})"


def salted_password(
    password: str, salt: bytes, iterations: int = ITERATIONS, mechanism: str = MECHANISM
) -> bytes:
    """What AlterUserScramCredentials sends instead of the password."""
    return hashlib.pbkdf2_hmac(MECHANISMS[mechanism], password.encode(), salt, iterations)


def credential(
    password: str,
    salt: bytes | None = None,
    iterations: int = ITERATIONS,
    mechanism: str = MECHANISM,
) -> Credential:
    """The credential of a password; with a salt of its own when none is given."""
    salt = secrets.token_bytes(SALT_BYTES) if salt is None else salt
    salted, name = salted_password(password, salt, iterations, mechanism), MECHANISMS[mechanism]
    client_key = hmac.digest(salted, b"Client Key", name)
    return Credential(
        salt=salt,
        stored_key=hashlib.new(name, client_key).digest(),
        server_key=hmac.digest(salted, b"Server Key", name),
        iterations=iterations,
    )


def verifies(password: str, kept: Credential, mechanism: str = MECHANISM) -> bool:
    """Whether the cluster would let this password in."""
    own = credential(password, kept.salt, kept.iterations, mechanism)
    stored = hmac.compare_digest(own.stored_key, kept.stored_key)
    return stored & hmac.compare_digest(own.server_key, kept.server_key)


def to_text(kept: Credential) -> str:
    """The credential as Kafka keeps it among its metadata."""
    salt, stored, server = (
        base64.b64encode(part).decode() for part in (kept.salt, kept.stored_key, kept.server_key)
    )
    return f"salt={salt},stored_key={stored},server_key={server},iterations={kept.iterations}"


def of_text(text: str) -> Credential:
    """A credential out of Kafka's metadata."""
    fields = dict(part.partition("=")[::2] for part in text.split(","))
    try:
        return Credential(
            salt=base64.b64decode(fields["salt"], validate=True),
            stored_key=base64.b64decode(fields["stored_key"], validate=True),
            server_key=base64.b64decode(fields["server_key"], validate=True),
            iterations=int(fields["iterations"]),
        )
    except (KeyError, ValueError, binascii.Error):
        raise ScramError(
            "found a text that is no SCRAM credential; wanted: salt, stored_key, server_key, "
            "iterations"
        ) from None
