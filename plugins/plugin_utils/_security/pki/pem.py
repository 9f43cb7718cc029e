# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of keys and certificates to and from PEM, and their texts in messages."""

from __future__ import annotations

from collections.abc import Iterable

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

PrivateKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

# Keys that Java services can read from PEM files.
CURVES = ("secp256r1", "secp384r1", "secp521r1")
RSA_BITS = 2048
KEYS_ALLOWED = f"a key on P-256, P-384 or P-521, or RSA with {RSA_BITS} bits or more"


class PkiError(ValueError):
    """A key or certificate cannot be used; the message has what was found and is wanted."""


def parse_key(text: bytes) -> PrivateKey:
    """Return the private key in a PEM text, which may also contain certificates."""
    try:
        key = serialization.load_pem_private_key(_key_part(text), password=None)
    except TypeError:
        raise PkiError("found a key with a passphrase; required: a key without") from None
    except (ValueError, UnsupportedAlgorithm):
        raise PkiError("found no readable private key; required: a key in PEM") from None
    if isinstance(key, ec.EllipticCurvePrivateKey) and key.curve.name in CURVES:
        return key
    if isinstance(key, rsa.RSAPrivateKey) and key.key_size >= RSA_BITS:
        return key
    size = getattr(key, "key_size", "")
    kind = type(key).__name__.removeprefix("_").removesuffix("PrivateKey")
    raise PkiError(f"found a key of {f'{kind} {size}'.strip()}; allowed: {KEYS_ALLOWED}")


def _key_part(text: bytes) -> bytes:
    """Return the PEM text from its first private key on."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if b"PRIVATE KEY-" in line), None)
    if begin is None:
        return text
    return b"\n".join(lines[begin:]) + b"\n"


def key_pem(key: PrivateKey) -> str:
    """The key as PKCS #8 without a passphrase, as Kafka reads it."""
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()


def parse_certificates(text: bytes) -> tuple[x509.Certificate, ...]:
    """All certificates in a PEM text, in order; at least one."""
    try:
        found = tuple(x509.load_pem_x509_certificates(text))
    except ValueError:
        found = ()
    if not found:
        raise PkiError("found no readable certificate; required: certificates in PEM")
    return found


def to_pem(certificates: Iterable[x509.Certificate]) -> str:
    """Certificates as one text, in order."""
    return "".join(each.public_bytes(serialization.Encoding.PEM).decode() for each in certificates)


def is_key_of(key: PrivateKey, certificate: x509.Certificate) -> bool:
    """Whether the certificate belongs to the key."""
    return _public(key.public_key()) == _public(certificate.public_key())


def _public(key: object) -> bytes:
    return key.public_bytes(  # type: ignore[attr-defined, no-any-return]
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def fingerprint(certificate: x509.Certificate) -> str:
    """SHA-256 of the certificate, as openssl prints it."""
    return certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def principal_subject(certificate: x509.Certificate) -> str:
    """The subject in the form of Kafka's principals: C(CN=kafka1,O=cluster)."""
    return certificate.subject.rfc4514_string()
