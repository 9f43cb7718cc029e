# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Validation of ready-made certificates of a site."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes

from .authority import date_errors, is_self_signed, is_signed_by, may_sign
from .leaf import Leaf, Pair
from .pem import is_key_of, principal_subject
from .renewal import read_names

INSECURE_HASHES = (hashes.MD5, hashes.SHA1)


def find_root(
    certificate: x509.Certificate,
    chain: Iterable[x509.Certificate],
    roots: Iterable[x509.Certificate],
) -> x509.Certificate | None:
    """Return the root of a certificate's chain; None if it is none of ``roots``."""
    roots, at = tuple(roots), certificate
    for above in (*chain, None):
        found = next((root for root in roots if is_signed_by(at, root)), None)
        if found is not None:
            return found
        if above is None or not is_signed_by(at, above):
            return None
        at = above
    return None


def blockers(pair: Pair, leaf: Leaf, roots: Iterable[x509.Certificate], now: datetime) -> list[str]:
    """Return the reasons why the pair cannot be used: what was found, and what is wanted."""
    roots, certificate = tuple(roots), pair.certificate
    problems = []
    if not is_key_of(pair.key, certificate):
        problems.append("found a key of another certificate; required: the key of this one")
    for each in (certificate, *pair.chain):
        problems += date_errors(each, now)
        if isinstance(each.signature_hash_algorithm, INSECURE_HASHES):
            name = each.signature_hash_algorithm.name.upper()
            problems.append(
                f"found {principal_subject(each)} signed with {name}; allowed: SHA-256 or better"
            )
    if find_root(certificate, pair.chain, roots) is None:
        known = ", ".join(map(principal_subject, roots))
        problems.append(
            f"found a certificate of {certificate.issuer.rfc4514_string()} that has no "
            f"trusted root; allowed: one of {known}, with all intermediate certificates"
        )
    return problems + _missing(certificate, leaf)


def _missing(certificate: x509.Certificate, leaf: Leaf) -> list[str]:
    """Errors for missing names, addresses and usages; additional ones are allowed."""
    has, problems = read_names(certificate), []
    for what, found, desired in (
        ("DNS names", has.dns, leaf.dns),
        ("addresses", has.ips, leaf.ips),
        ("usages", leaf.usages if has.usages is None else has.usages, leaf.usages),
    ):
        missing = [each for each in desired if not any(_matches_name(own, each) for own in found)]
        if missing:
            problems.append(
                f"found the {what} {', '.join(found) or 'none'}; "
                f"required: also {', '.join(sorted(missing))}"
            )
    return problems


def _matches_name(pattern: str, name: str) -> bool:
    """Whether a name in a certificate, possibly with a wildcard for one label, matches."""
    if pattern.startswith("*."):
        return name == pattern or name.partition(".")[2] == pattern[2:]
    return pattern == name


def root_blockers(roots: Iterable[x509.Certificate], now: datetime) -> list[str]:
    """Return the reasons why certificates cannot be trusted as roots."""
    problems = []
    for root in roots:
        if not is_self_signed(root) or not may_sign(root):
            problems.append(
                f"found {principal_subject(root)}, which is not a root; allowed: only roots"
            )
        problems += date_errors(root, now)
    return problems
