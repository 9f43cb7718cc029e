# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""SCRAM as RFC 5802 has it: salted passwords, and one attempt to log in, message by message."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import re
from dataclasses import dataclass, field

# What becomes of an attempt to log in.
ACCEPTED, REFUSED = "accepted", "refused"
MECHANISMS = ("SCRAM-SHA-512", "SCRAM-SHA-256")
HASHES = {"SCRAM-SHA-512": "sha512", "SCRAM-SHA-256": "sha256"}
# What brokers take.
ITERATIONS = (4096, 16384)
SALT_BYTES = 24
SHORTEST = 8
HASHED = re.compile(r"(SCRAM-SHA-(?:256|512))=\[(.*)\]")
# What a server may ask of us before we take it for an attack.
MOST_ITERATIONS = 1_000_000


class ScramError(ValueError):
    """A secret that cannot be taken, or a server that does not keep to the protocol."""


@dataclass(frozen=True, order=True)
class Key:
    """A credential: whose, and for which mechanism."""

    user: str
    mechanism: str


@dataclass(frozen=True)
class Hashed:
    """A password as brokers keep it: it cannot be read back, but it serves to log in."""

    salt: bytes = field(repr=False)
    iterations: int
    salted: bytes = field(repr=False)


@dataclass(frozen=True)
class Secret:
    """What is known of a user's password: itself, or its hashed forms by mechanism."""

    password: str = field(default="", repr=False)
    hashed: dict[str, Hashed] = field(default_factory=dict, repr=False)

    def serves(self, mechanism: str) -> bool:
        """Whether a credential for this mechanism can be made of it."""
        return bool(self.password) or mechanism in self.hashed

    def iterations(self, mechanism: str, desired: int) -> int:
        """How often it is hashed: a hashed one has its own number."""
        return self.hashed[mechanism].iterations if mechanism in self.hashed else desired

    def salted(self, mechanism: str, salt: bytes, iterations: int) -> bytes | None:
        """The salted password, None when a hashed one has another salt or number."""
        if self.password:
            return salted_password(self.password, mechanism, salt, iterations)
        found = self.hashed.get(mechanism)
        same = found and found.salt == salt and found.iterations == iterations
        return found.salted if found and same else None

    def credential(self, mechanism: str, iterations: int) -> Hashed:
        """What a broker is given, with a new salt for a password."""
        return self.hashed.get(mechanism) or hash_password(self.password, mechanism, iterations)


def salted_password(password: str, mechanism: str, salt: bytes, iterations: int) -> bytes:
    """The salted password; it is what takes the time."""
    return hashlib.pbkdf2_hmac(HASHES[mechanism], password.encode(), salt, iterations)


def hash_password(
    password: str, mechanism: str, iterations: int, salt: bytes | None = None
) -> Hashed:
    """A password as brokers keep it."""
    salt = salt or os.urandom(SALT_BYTES)
    return Hashed(salt, iterations, salted_password(password, mechanism, salt, iterations))


def text_of(mechanism: str, hashed: Hashed) -> str:
    """A hashed password in the form of Kafka's tools."""
    salt, salted = (base64.b64encode(each).decode() for each in (hashed.salt, hashed.salted))
    return f"{mechanism}=[iterations={hashed.iterations},salt={salt},saltedpassword={salted}]"


def hashed_of(text: str) -> tuple[str, Hashed]:
    """Mechanism and hashed password from the form of Kafka's tools; raises ScramError.

    The error says nothing of what was read.
    """
    match = HASHED.fullmatch(text.strip())
    parts = dict(part.partition("=")[::2] for part in match[2].split(",")) if match else {}
    if not match or set(parts) != {"iterations", "salt", "saltedpassword"}:
        raise ScramError(
            "is not of the form SCRAM-SHA-512=[iterations=8192,salt=...,saltedpassword=...]"
        )
    low, high = ITERATIONS
    if not parts["iterations"].isdecimal() or not low <= int(parts["iterations"]) <= high:
        raise ScramError(f"iterations are no number from {low} to {high}")
    try:
        salt, salted = (
            base64.b64decode(parts[key], validate=True) for key in ("salt", "saltedpassword")
        )
    except binascii.Error:
        raise ScramError("salt or saltedpassword is no Base64") from None
    if len(salted) != hashlib.new(HASHES[match[1]]).digest_size:
        raise ScramError(f"saltedpassword has not the length that {match[1]} gives")
    return match[1], Hashed(salt, int(parts["iterations"]), salted)


def secret_of(user: str, value: object, hashed: bool = False) -> Secret:
    """What is known of a password; raises ScramError, which says nothing of what was read."""
    if hashed:
        texts = value if isinstance(value, (list, tuple)) else [value]
        found = dict(hashed_of(str(text)) for text in texts)
        return Secret(hashed=found)
    if not isinstance(value, str):
        raise ScramError("the password is no text")
    if len(value) < SHORTEST:
        raise ScramError(f"the password is shorter than {SHORTEST} characters")
    if value.strip() != value or not value.isprintable():
        raise ScramError("the password begins or ends with a blank, or has control characters")
    if value == user:
        raise ScramError("the password is the user's name")
    return Secret(password=value)


class Attempt:
    """The client's side of one log-in; nothing of it needs a network."""

    def __init__(self, key: Key, secret: Secret, nonce: str) -> None:
        """``nonce`` is new for each attempt."""
        self.key, self.secret = key, secret
        self.nonce = nonce
        name = key.user.replace("=", "=3D").replace(",", "=2C")
        self.bare = f"n={name},r={nonce}"
        self.signature = b""

    def first(self) -> bytes:
        """The first message."""
        return f"n,,{self.bare}".encode()

    def final(self, challenge: bytes) -> bytes | None:
        """The answer to the server's first message, None when the secret cannot be the right one.

        Raises ScramError when the server does not keep to the protocol.
        """
        text = challenge.decode()
        parts = dict(part.partition("=")[::2] for part in text.split(","))
        try:
            nonce, count = parts["r"], int(parts["i"])
            salt = base64.b64decode(parts["s"], validate=True)
        except (KeyError, ValueError):
            raise ScramError("the server's first message is not one of SCRAM") from None
        if not nonce.startswith(self.nonce) or not 0 < count <= MOST_ITERATIONS:
            raise ScramError("the server's first message does not answer ours")
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
        """Whether the server has proved that it knows the same secret."""
        parts = dict(part.partition("=")[::2] for part in last.decode().split(","))
        try:
            signature = base64.b64decode(parts.get("v", ""), validate=True)
        except binascii.Error:
            return False
        return bool(signature) and hmac.compare_digest(signature, self.signature)
