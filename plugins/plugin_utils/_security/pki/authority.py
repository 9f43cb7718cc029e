# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A CA: made here, or brought by the site and judged."""

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

from .pem import PrivateKey, fingerprint, fits, subject_of

# Clocks of machines differ: what is issued is valid a little before it is issued.
BACKDATED = timedelta(minutes=10)

# Fast in every handshake of the JVM, and good for the ten years of a CA.
CURVE = ec.SECP256R1


@dataclass(frozen=True)
class Authority:
    """A CA and the way up to its root. ``chain`` ends with the root; empty when it is one."""

    certificate: x509.Certificate
    key: PrivateKey
    chain: tuple[x509.Certificate, ...] = ()

    @property
    def root(self) -> x509.Certificate:
        """What its certificates are trusted by."""
        return self.chain[-1] if self.chain else self.certificate

    @property
    def intermediates(self) -> tuple[x509.Certificate, ...]:
        """What a server sends behind its own certificate: all up to the root, without it."""
        return (self.certificate, *self.chain)[:-1]

    @property
    def fingerprint(self) -> str:
        """Its name for programs."""
        return fingerprint(self.certificate)


def name_of(organization: str, common_name: str) -> x509.Name:
    """A subject; the organization comes first, so that Kafka writes it last."""
    return x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization),
            x509.NameAttribute(NameOID.COMMON_NAME, common_name),
        ]
    )


def make(organization: str, common_name: str, days: int, now: datetime) -> Authority:
    """A new CA that signs certificates of members and no further CA."""
    key = ec.generate_private_key(CURVE())
    subject = name_of(organization, common_name)
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
        .add_extension(_usage_of_a_ca(), critical=True)
        .add_extension(identifier, critical=False)
        .sign(key, hashes.SHA256())
    )
    return Authority(certificate, key)


def _usage_of_a_ca() -> x509.KeyUsage:
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


def signed_by(certificate: x509.Certificate, issuer: x509.Certificate) -> bool:
    """Whether ``issuer`` signed the certificate, by name and signature."""
    try:
        certificate.verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def self_signed(certificate: x509.Certificate) -> bool:
    """Whether it is a root."""
    return signed_by(certificate, certificate)


def may_sign(certificate: x509.Certificate) -> bool:
    """Whether it is that of a CA."""
    extensions = certificate.extensions
    try:
        if not extensions.get_extension_for_class(x509.BasicConstraints).value.ca:
            return False
        return extensions.get_extension_for_class(x509.KeyUsage).value.key_cert_sign
    except x509.ExtensionNotFound as missing:
        # Roots of old had no usage, which allows each.
        return missing.oid == x509.KeyUsage.oid


def blockers(authority: Authority, now: datetime) -> list[str]:
    """Why it cannot issue certificates."""
    problems = []
    way = (authority.certificate, *authority.chain)
    if not fits(authority.key, authority.certificate):
        problems.append("found a key of another certificate; wanted: the key of the first one")
    for each in way:
        if not may_sign(each):
            problems.append(
                f"found a certificate that may not sign others: {subject_of(each)}; "
                "wanted: that of a CA (CA:TRUE, keyCertSign)"
            )
        problems += dates(each, now)
    problems += way_up(way)
    return problems


def way_up(way: Sequence[x509.Certificate]) -> list[str]:
    """Why the certificates do not lead to a root, each signed by the next."""
    for below, above in itertools.pairwise(way):
        if not signed_by(below, above):
            return [
                f"found {subject_of(above)} behind {subject_of(below)}, which it did not sign; "
                "wanted: each certificate followed by the one that signed it"
            ]
    if not self_signed(way[-1]):
        return [
            f"found nothing that signed {subject_of(way[-1])}; "
            "wanted: all certificates up to the root in the same file"
        ]
    return []


def dates(certificate: x509.Certificate, now: datetime) -> list[str]:
    """Why it is not valid now."""
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now > end:
        return [f"found {subject_of(certificate)} expired since {day(end)}; wanted: one in force"]
    if now < begin:
        return [
            f"found {subject_of(certificate)} not valid before {day(begin)}; wanted: one in force"
        ]
    return []


def day(moment: datetime) -> str:
    """A date for people."""
    return moment.strftime("%Y-%m-%d")
