# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a certificate must be renewed, and reports of its expiry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from .authority import Authority, is_signed_by, subject_name
from .leaf import USAGES, Leaf, Pair, validity_end
from .pem import fingerprint, is_key_of, principal_subject

# Share of the validity that limits the renewal period, so that a certificate for a week is not
# renewed in every run.
REMAINING_SHARE = 1 / 3
# A renewal must extend the validity by this much; the CA's expiry may prevent it.
LEAST_EXTENSION = timedelta(days=1)

ANY = ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE


@dataclass(frozen=True)
class Names:
    """Names, addresses and usages of a certificate."""

    dns: tuple[str, ...]
    ips: tuple[str, ...]
    usages: tuple[str, ...] | None  # None: any


def read_names(certificate: x509.Certificate) -> Names:
    """Return names, addresses and usages of a certificate, in the form of a spec."""
    dns: list[str] = []
    ips: list[str] = []
    usages: tuple[str, ...] | None = None
    for extension in certificate.extensions:
        value = extension.value
        if isinstance(value, x509.SubjectAlternativeName):
            dns = [name.lower() for name in value.get_values_for_type(x509.DNSName)]
            ips = [str(each) for each in value.get_values_for_type(x509.IPAddress)]
        elif isinstance(value, x509.ExtendedKeyUsage) and ANY not in value:
            usages = tuple(usage for usage, oid in USAGES.items() if oid in value)
    return Names(tuple(sorted(dns)), tuple(sorted(ips)), usages)


def days_left(certificate: x509.Certificate, now: datetime) -> int:
    """Whole days until it expires; negative afterwards."""
    return (certificate.not_valid_after_utc - now).days


def reason_to_renew(
    pair: Pair, leaf: Leaf, authority: Authority, now: datetime, before_days: int
) -> str | None:
    """Return the reason to renew the pair, as part of a message; None if it is as desired."""
    certificate = pair.certificate
    if not is_key_of(pair.key, certificate):
        return "its key belongs to another certificate"
    if not is_signed_by(certificate, authority.certificate):
        return f"it was issued by {certificate.issuer.rfc4514_string()}, not by the current CA"
    if pair.chain != authority.intermediates:
        return "the intermediate certificates have changed"
    desired = subject_name(leaf.organization, leaf.common_name)
    if certificate.subject != desired:
        return (
            f"its subject is {principal_subject(certificate)}; declared: {desired.rfc4514_string()}"
        )
    return _other_names(certificate, leaf) or _age(certificate, leaf, authority, now, before_days)


def _other_names(certificate: x509.Certificate, leaf: Leaf) -> str | None:
    has = read_names(certificate)
    for what, found, desired in (
        ("DNS names", has.dns, leaf.dns),
        ("addresses", has.ips, leaf.ips),
        ("usages", has.usages or (), leaf.usages),
    ):
        if set(found) != set(desired):
            return f"its {what} are {_listed(found)}; declared: {_listed(desired)}"
    return None


def _age(
    certificate: x509.Certificate,
    leaf: Leaf,
    authority: Authority,
    now: datetime,
    before_days: int,
) -> str | None:
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    margin = min(timedelta(days=before_days), (end - begin) * REMAINING_SHARE)
    if end - now >= margin:
        return None
    if validity_end(leaf, authority, now) < min(
        end + LEAST_EXTENSION, now + timedelta(days=leaf.days)
    ):
        return None
    if end <= now:
        return f"it expired {-days_left(certificate, now)} days ago"
    return f"it expires in {days_left(certificate, now)} days"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(sorted(names)) or "none"


def end_report(name: str, certificate: x509.Certificate, now: datetime) -> dict[str, object]:
    """Report of a certificate's subject, issuer and expiry."""
    return {
        "name": name,
        "subject": principal_subject(certificate),
        "issuer": certificate.issuer.rfc4514_string(),
        "serial": f"{certificate.serial_number:X}",
        "fingerprint": fingerprint(certificate),
        "not_after": certificate.not_valid_after_utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "days_left": days_left(certificate, now),
    }
