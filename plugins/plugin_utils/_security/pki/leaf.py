# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Certificates of the members: specs, and issuing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from .authority import BACKDATED, CURVE, Authority, subject_name
from .pem import PkiError, PrivateKey, key_pem, to_pem

USAGES = {
    "server": ExtendedKeyUsageOID.SERVER_AUTH,
    "client": ExtendedKeyUsageOID.CLIENT_AUTH,
}


@dataclass(frozen=True)
class Leaf:
    """Spec of a certificate. ``ips`` in canonical form, ``dns`` in lower case."""

    name: str
    common_name: str
    organization: str
    dns: tuple[str, ...] = ()
    ips: tuple[str, ...] = ()
    usages: tuple[str, ...] = ("server", "client")
    days: int = 397


@dataclass(frozen=True)
class Pair:
    """A certificate with its key. ``chain``: certificates sent after it, without the root."""

    certificate: x509.Certificate
    key: PrivateKey
    chain: tuple[x509.Certificate, ...] = ()

    def keystore(self) -> str:
        """Key and chain in one text, as a keystore of type PEM for Kafka."""
        return key_pem(self.key) + self.certificates()

    def certificates(self) -> str:
        """The certificate followed by its chain."""
        return to_pem((self.certificate, *self.chain))


def validity_end(leaf: Leaf, authority: Authority, now: datetime) -> datetime:
    """End of validity of a certificate issued now, limited by that of its CA."""
    ends = [each.not_valid_after_utc for each in (authority.certificate, *authority.chain)]
    return min(now + timedelta(days=leaf.days), *ends)


def issue(leaf: Leaf, authority: Authority, now: datetime) -> Pair:
    """Generate a new key and its certificate; raises PkiError if the CA has expired."""
    ca = authority.certificate
    end = validity_end(leaf, authority, now)
    if end <= now:
        raise PkiError(f"its CA has expired: {ca.subject.rfc4514_string()}")
    key = ec.generate_private_key(CURVE())
    begin = max(now - BACKDATED, ca.not_valid_before_utc)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject_name(leaf.organization, leaf.common_name))
        .issuer_name(ca.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_member_key_usage(), critical=True)
        .add_extension(x509.ExtendedKeyUsage([USAGES[u] for u in leaf.usages]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(_authority_key_identifier(ca), critical=False)
    )
    if names := [*map(x509.DNSName, leaf.dns), *(x509.IPAddress(ip_address(i)) for i in leaf.ips)]:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return Pair(builder.sign(authority.key, hashes.SHA256()), key, authority.intermediates)


def _authority_key_identifier(ca: x509.Certificate) -> x509.AuthorityKeyIdentifier:
    """The CA's key identifier; a provided CA may have a custom one."""
    try:
        own = ca.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    except x509.ExtensionNotFound:
        return x509.AuthorityKeyIdentifier.from_issuer_public_key(ca.public_key())  # type: ignore[arg-type]
    return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own)


def _member_key_usage() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
