# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A CA: generated, or provided by the site and validated."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from .pem import PrivateKey, fingerprint, is_key_of, principal_subject

# Certificates are valid before they are issued, because clocks of machines differ.
BACKDATED = timedelta(minutes=10)

# Fast in TLS handshakes of the JVM, and secure for the ten years of a CA.
CURVE = ec.SECP256R1


@dataclass(frozen=True)
class Authority:
    """A CA and its chain. ``chain`` ends with the root; it is empty if the CA is a root."""

    certificate: x509.Certificate
    key: PrivateKey
    chain: tuple[x509.Certificate, ...] = ()

    @property
    def root(self) -> x509.Certificate:
        """The root that members trust."""
        return self.chain[-1] if self.chain else self.certificate

    @property
    def intermediates(self) -> tuple[x509.Certificate, ...]:
        """Certificates that a server sends after its own: the chain without the root."""
        return (self.certificate, *self.chain)[:-1]

    @property
    def fingerprint(self) -> str:
        """SHA-256 fingerprint of the certificate, as identifier."""
        return fingerprint(self.certificate)


def subject_name(organization: str, common_name: str) -> x509.Name:
    """A subject with the organization first, which Kafka prints last."""
    return x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization),
            x509.NameAttribute(NameOID.COMMON_NAME, common_name),
        ]
    )


def make_ca(organization: str, common_name: str, days: int, now: datetime) -> Authority:
    """Generate a CA that signs certificates of members, but no further CA."""
    key = ec.generate_private_key(CURVE())
    subject = subject_name(organization, common_name)
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_ca_key_usage(), critical=True)
        .add_extension(identifier, critical=False)
        .sign(key, hashes.SHA256())
    )
    return Authority(certificate, key)


def _ca_key_usage() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )


def is_signed_by(certificate: x509.Certificate, issuer: x509.Certificate) -> bool:
    """Whether ``issuer`` signed the certificate, by name and signature."""
    try:
        certificate.verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def is_self_signed(certificate: x509.Certificate) -> bool:
    """Whether the certificate is a root."""
    return is_signed_by(certificate, certificate)


def may_sign(certificate: x509.Certificate) -> bool:
    """Whether the certificate belongs to a CA."""
    extensions = certificate.extensions
    try:
        if not extensions.get_extension_for_class(x509.BasicConstraints).value.ca:
            return False
        return extensions.get_extension_for_class(x509.KeyUsage).value.key_cert_sign
    except x509.ExtensionNotFound as missing:
        # Old roots have no key usage, which allows all usages.
        return missing.oid == x509.KeyUsage.oid


def blockers(authority: Authority, now: datetime) -> list[str]:
    """Return the reasons why the CA cannot issue certificates."""
    problems = []
    path = (authority.certificate, *authority.chain)
    if not is_key_of(authority.key, authority.certificate):
        problems.append("found a key of another certificate; required: the key of the first one")
    for each in path:
        if not may_sign(each):
            problems.append(
                f"found a certificate that may not sign others: {principal_subject(each)}; "
                "required: that of a CA (CA:TRUE, keyCertSign)"
            )
        problems += date_errors(each, now)
    problems += path_errors(path)
    return problems


def path_errors(path: Sequence[x509.Certificate]) -> list[str]:
    """Return the reasons why the certificates are no path to a root, each signed by the next."""
    for below, above in itertools.pairwise(path):
        if not is_signed_by(below, above):
            return [
                f"found {principal_subject(above)} after {principal_subject(below)}, which it did "
                "not sign; required: each certificate followed by its issuer"
            ]
    if not is_self_signed(path[-1]):
        return [
            f"found no issuer of {principal_subject(path[-1])}; "
            "required: all certificates up to the root in the same file"
        ]
    return []


def date_errors(certificate: x509.Certificate, now: datetime) -> list[str]:
    """Return the reason why the certificate is not valid now."""
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now > end:
        return [
            f"found {principal_subject(certificate)} expired since {format_day(end)}; "
            "required: a valid one"
        ]
    if now < begin:
        return [
            f"found {principal_subject(certificate)} not valid before {format_day(begin)}; "
            "required: a valid one"
        ]
    return []


def format_day(moment: datetime) -> str:
    """Text of the date."""
    return moment.strftime("%Y-%m-%d")
