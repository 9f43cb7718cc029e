# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""SCRAM after RFC 5802: salted passwords, and the client's messages of a login."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import re
from dataclasses import dataclass, field

# Results of a login.
ACCEPTED, REFUSED = "accepted", "refused"
MECHANISMS = ("SCRAM-SHA-512", "SCRAM-SHA-256")
HASHES = {"SCRAM-SHA-512": "sha512", "SCRAM-SHA-256": "sha256"}
# Lowest and highest number that brokers accept.
ITERATIONS = (4096, 16384)
SALT_BYTES = 24
SHORTEST = 8
HASHED = re.compile(r"(SCRAM-SHA-(?:256|512))=\[(.*)\]")
# A server that requires more iterations is rejected as an attack.
MOST_ITERATIONS = 1_000_000


class ScramError(ValueError):
    """An invalid secret, or a server that violates the protocol."""


@dataclass(frozen=True, order=True)
class Key:
    """User and mechanism of a credential."""

    user: str
    mechanism: str


@dataclass(frozen=True)
class Hashed:
    """A hashed password as brokers store it; it is sufficient to log in."""

    salt: bytes = field(repr=False)
    iterations: int
    salted: bytes = field(repr=False)


@dataclass(frozen=True)
class Secret:
    """A user's password, or its hashed forms by mechanism."""

    password: str = field(default="", repr=False)
    hashed: dict[str, Hashed] = field(default_factory=dict, repr=False)

    def serves(self, mechanism: str) -> bool:
        """Whether the secret is sufficient for a credential of this mechanism."""
        return bool(self.password) or mechanism in self.hashed

    def iterations(self, mechanism: str, desired: int) -> int:
        """Return the iterations: those of the hashed form, else ``desired``."""
        return self.hashed[mechanism].iterations if mechanism in self.hashed else desired

    def salted(self, mechanism: str, salt: bytes, iterations: int) -> bytes | None:
        """Return the salted password; None if the hashed form has other salt or iterations."""
        if self.password:
            return salted_password(self.password, mechanism, salt, iterations)
        found = self.hashed.get(mechanism)
        same = found and found.salt == salt and found.iterations == iterations
        return found.salted if found and same else None

    def credential(self, mechanism: str, iterations: int) -> Hashed:
        """Return the hashed form for a broker; a password gets a new salt."""
        return self.hashed.get(mechanism) or hash_password(self.password, mechanism, iterations)


def salted_password(password: str, mechanism: str, salt: bytes, iterations: int) -> bytes:
    """Return the salted password; this is the expensive part of SCRAM."""
    return hashlib.pbkdf2_hmac(HASHES[mechanism], password.encode(), salt, iterations)


def hash_password(
    password: str, mechanism: str, iterations: int, salt: bytes | None = None
) -> Hashed:
    """Return a password in the form that brokers store."""
    salt = salt or os.urandom(SALT_BYTES)
    return Hashed(salt, iterations, salted_password(password, mechanism, salt, iterations))


def format_hashed(mechanism: str, hashed: Hashed) -> str:
    """Return a hashed password in the form of Kafka's tools."""
    salt, salted = (base64.b64encode(each).decode() for each in (hashed.salt, hashed.salted))
    return f"{mechanism}=[iterations={hashed.iterations},salt={salt},saltedpassword={salted}]"


def parse_hashed(text: str) -> tuple[str, Hashed]:
    """Return mechanism and hashed password from the form of Kafka's tools.

    Raises ScramError, whose text does not contain the input.
    """
    match = HASHED.fullmatch(text.strip())
    parts = dict(part.partition("=")[::2] for part in match[2].split(",")) if match else {}
    if not match or set(parts) != {"iterations", "salt", "saltedpassword"}:
        raise ScramError(
            "does not have the form SCRAM-SHA-512=[iterations=8192,salt=...,saltedpassword=...]"
        )
    low, high = ITERATIONS
    if not parts["iterations"].isdecimal() or not low <= int(parts["iterations"]) <= high:
        raise ScramError(f"iterations are not a number from {low} to {high}")
    try:
        salt, salted = (
            base64.b64decode(parts[key], validate=True) for key in ("salt", "saltedpassword")
        )
    except binascii.Error:
        raise ScramError("salt or saltedpassword is not Base64") from None
    if len(salted) != hashlib.new(HASHES[match[1]]).digest_size:
        raise ScramError(f"saltedpassword does not have the length of {match[1]}")
    return match[1], Hashed(salt, int(parts["iterations"]), salted)


def parse_secret(user: str, value: object, hashed: bool = False) -> Secret:
    """Return the secret of a value; raises ScramError, whose text does not contain the value."""
    if hashed:
        texts = value if isinstance(value, (list, tuple)) else [value]
        found = dict(parse_hashed(str(text)) for text in texts)
        return Secret(hashed=found)
    if not isinstance(value, str):
        raise ScramError("the password is not text")
    if len(value) < SHORTEST:
        raise ScramError(f"the password is shorter than {SHORTEST} characters")
    if value.strip() != value or not value.isprintable():
        raise ScramError("the password starts or ends with a space, or has control characters")
    if value == user:
        raise ScramError("the password is the user's name")
    return Secret(password=value)


class LoginAttempt:
    """The client's messages of one login; no I/O."""

    def __init__(self, key: Key, secret: Secret, nonce: str) -> None:
        """``nonce`` must be new for each login."""
        self.key, self.secret = key, secret
        self.nonce = nonce
        name = key.user.replace("=", "=3D").replace(",", "=2C")
        self.bare = f"n={name},r={nonce}"
        self.signature = b""

    def first(self) -> bytes:
        """Return the client's first message."""
        return f"n,,{self.bare}".encode()

    def final(self, challenge: bytes) -> bytes | None:
        """Return the client's final message; None if the secret cannot be correct.

        Raises ScramError if the server violates the protocol.
        """
        text = challenge.decode()
        parts = dict(part.partition("=")[::2] for part in text.split(","))
        try:
            nonce, count = parts["r"], int(parts["i"])
            salt = base64.b64decode(parts["s"], validate=True)
        except (KeyError, ValueError):
            raise ScramError("the server's first message is not SCRAM") from None
        if not nonce.startswith(self.nonce) or not 0 < count <= MOST_ITERATIONS:
            raise ScramError("the server's first message does not match the client's")
        salted = self.secret.salted(self.key.mechanism, salt, count)
        if salted is None:
            return None
        digest = HASHES[self.key.mechanism]
        client = hmac.digest(salted, b"Client Key", digest)
        stored = hashlib.new(digest, client).digest()
        bare = f"c=biws,r={nonce}"
        message = f"{self.bare},{text},{bare}".encode()
        self.signature = hmac.digest(hmac.digest(salted, b"Server Key", digest), message, digest)
        mask = hmac.digest(stored, message, digest)
        proof = bytes(one ^ other for one, other in zip(client, mask))
        return f"{bare},p={base64.b64encode(proof).decode()}".encode()

    def confirmed(self, last: bytes) -> bool:
        """Whether the server's last message proves that it has the same secret."""
        parts = dict(part.partition("=")[::2] for part in last.decode().split(","))
        try:
            signature = base64.b64decode(parts.get("v", ""), validate=True)
        except binascii.Error:
            return False
        return bool(signature) and hmac.compare_digest(signature, self.signature)
