# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Keys and certificates as text and back, and what people are told of them."""

from __future__ import annotations

from collections.abc import Iterable

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

PrivateKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

# What the TLS of the JVM's services takes out of a PEM file.
CURVES = ("secp256r1", "secp384r1", "secp521r1")
RSA_BITS = 2048
KEYS_ALLOWED = f"a key on P-256, P-384 or P-521, or RSA with {RSA_BITS} bits or more"


class PkiError(ValueError):
    """A key or a certificate that cannot be used: what was found, and what is wanted."""


def key_of(text: bytes) -> PrivateKey:
    """The private key in a PEM text, in whatever envelope; certificates beside it are no harm."""
    try:
        key = serialization.load_pem_private_key(_key_part(text), password=None)
    except TypeError:
        raise PkiError("found a key behind a passphrase; wanted: one without") from None
    except (ValueError, UnsupportedAlgorithm):
        raise PkiError("found no private key that can be read; wanted: one in PEM") from None
    if isinstance(key, ec.EllipticCurvePrivateKey) and key.curve.name in CURVES:
        return key
    if isinstance(key, rsa.RSAPrivateKey) and key.key_size >= RSA_BITS:
        return key
    size = getattr(key, "key_size", "")
    kind = type(key).__name__.removeprefix("_").removesuffix("PrivateKey")
    raise PkiError(f"found a key of {f'{kind} {size}'.strip()}; wanted: {KEYS_ALLOWED}")


def _key_part(text: bytes) -> bytes:
    """The first private key of a PEM text, without what stands around it."""
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if b"PRIVATE KEY-" in line), None)
    if begin is None:
        return text
    return b"\n".join(lines[begin:]) + b"\n"


def key_pem(key: PrivateKey) -> str:
    """The key as Kafka reads it: PKCS #8 without a passphrase."""
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()


def certificates_of(text: bytes) -> tuple[x509.Certificate, ...]:
    """All certificates in a PEM text, in order; at least one."""
    try:
        found = tuple(x509.load_pem_x509_certificates(text))
    except ValueError:
        found = ()
    if not found:
        raise PkiError("found no certificate that can be read; wanted: certificates in PEM")
    return found


def pem(certificates: Iterable[x509.Certificate]) -> str:
    """Certificates as one text, in order."""
    return "".join(each.public_bytes(serialization.Encoding.PEM).decode() for each in certificates)


def fits(key: PrivateKey, certificate: x509.Certificate) -> bool:
    """Whether the certificate is that of the key."""
    return _public(key.public_key()) == _public(certificate.public_key())


def _public(key: object) -> bytes:
    return key.public_bytes(  # type: ignore[attr-defined, no-any-return]
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def fingerprint(certificate: x509.Certificate) -> str:
    """SHA-256 of the certificate, as openssl prints it."""
    return certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def subject_of(certificate: x509.Certificate) -> str:
    """The subject as Kafka sees it in a principal: C(CN=kafka1,O=cluster)."""
    return certificate.subject.rfc4514_string()
