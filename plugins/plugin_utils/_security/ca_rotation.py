# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Rotation of the CA without an interruption: members trust each other at any time.

A rotation has three phases, each rolled out to all members before the next: trust the new root in
addition to the old one, issue all certificates again, drop the old root. The rules in ``blockers``
apply to every change of the store, also with ready-made certificates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from cryptography import x509

from .credentials_model import CredentialsError, Spec
from .pki import authority
from .pki.authority import Authority, format_day
from .pki.pem import principal_subject
from .pki.provided import find_root
from .store_document import Content

# States of a rotation.
NONE, TRUSTED, ISSUED = "none", "trusted", "issued"

NEXT = {
    TRUSTED: "a new CA is trusted in addition to the current one; once every member trusts it: "
    "phase issue",
    ISSUED: "all certificates are from the new CA; once every member has its own: phase drop",
}


@dataclass(frozen=True)
class Step:
    """The content after a step, and messages about the changes."""

    content: Content
    messages: tuple[str, ...] = ()


def state(content: Content) -> str:
    """Return NONE, TRUSTED or ISSUED: how far the rotation of the CA is."""
    prints = [each.fingerprint for each in content.authorities]
    if len(prints) < 2:
        return NONE
    return ISSUED if prints[-1] == content.issuer else TRUSTED


def advance(content: Content, spec: Spec, given: Authority | None, now: datetime) -> Step:
    """Return the CAs that the spec requires; ``given`` is the CA that the site provides."""
    if spec.ca.directory:
        return _with_directory(content, spec, now)
    if not content.authorities:
        return _next(content, spec, given, now, issues=True)
    known = given is None or given.fingerprint in {a.fingerprint for a in content.authorities}
    if spec.rotate != "ca":
        if given and not known:
            raise CredentialsError(_other_ca(content, given))
        return Step(content)
    return PHASES[spec.phase](content, spec, given, now)


def _other_ca(content: Content, given: Authority) -> str:
    has = ", ".join(principal_subject(each.certificate) for each in content.authorities)
    return (
        f"ca: certificate_file: found {principal_subject(given.certificate)}, the store has {has}; "
        "required: the same CA, or rotate: ca with phase: trust, issue, drop"
    )


def _trust(content: Content, spec: Spec, given: Authority | None, now: datetime) -> Step:
    if state(content) != NONE:
        if given and given.fingerprint not in {a.fingerprint for a in content.authorities}:
            raise CredentialsError(
                f"ca: certificate_file: found {principal_subject(given.certificate)} while another "
                "rotation is in progress; required: phase issue and drop of that rotation first"
            )
        return Step(content)
    _refuse_current(content, given)
    return _next(content, spec, given, now, issues=False)


def _refuse_current(content: Content, given: Authority | None) -> None:
    """Refuse to rotate from a CA to itself."""
    if given and given.fingerprint == content.issuer:
        raise CredentialsError(
            f"ca: certificate_file: found the current CA, {principal_subject(given.certificate)}; "
            "required: the new CA"
        )


def _issue(content: Content, spec: Spec, given: Authority | None, now: datetime) -> Step:
    if state(content) == NONE:
        raise CredentialsError(
            "phase: found issue, but no new trusted CA; required: phase trust first, rolled out to "
            "every member"
        )
    return Step(replace(content, issuer=content.authorities[-1].fingerprint))


def _drop(content: Content, spec: Spec, given: Authority | None, now: datetime) -> Step:
    if state(content) == TRUSTED:
        raise CredentialsError(
            "phase: found drop, but certificates of the old CA; required: phase issue first, "
            "rolled out to every member"
        )
    signing = content.signing
    kept = tuple(each for each in content.authorities if each is signing)
    return _remove_cas(content, spec, kept)


def _replace(content: Content, spec: Spec, given: Authority | None, now: datetime) -> Step:
    _refuse_current(content, given)
    dropped = _remove_cas(content, spec, ())
    new = _next(dropped.content, spec, given, now, issues=True)
    return Step(new.content, dropped.messages + new.messages)


PHASES = {"trust": _trust, "issue": _issue, "drop": _drop, "replace": _replace}


def _with_directory(content: Content, spec: Spec, now: datetime) -> Step:
    """CAs of the store with ready-made certificates: kept for a change to or from them."""
    if spec.phase in ("drop", "replace"):
        dropped = _remove_cas(content, spec, ())
        return replace(dropped, content=replace(dropped.content, issuer=""))
    if spec.phase == "trust" and not content.authorities:
        return _next(content, spec, None, now, issues=True)
    return Step(content)


def _next(
    content: Content, spec: Spec, given: Authority | None, now: datetime, *, issues: bool
) -> Step:
    """Add a CA: the one that the site provides, or a generated one."""
    number = content.made + (given is None)
    new = given or authority.make_ca(
        spec.cluster, f"{spec.ca.common_name} G{number}", spec.ca.days, now
    )
    end = format_day(new.certificate.not_valid_after_utc)
    done = "provided by the site" if given else "generated"
    return Step(
        replace(
            content,
            authorities=(*content.authorities, new),
            issuer=new.fingerprint if issues else content.issuer,
            made=number,
        ),
        (f"CA {principal_subject(new.certificate)}: {done}, valid until {end}",),
    )


def _remove_cas(content: Content, spec: Spec, kept: tuple[Authority, ...]) -> Step:
    """Remove the CAs that are not in ``kept``, and their undeclared certificates."""
    removed = [each for each in content.authorities if each not in kept]
    declared = {leaf.name for leaf in spec.certificates}
    undeclared = [
        name
        for name, pair in content.certificates.items()
        if name not in declared
        and any(authority.is_signed_by(pair.certificate, ca.certificate) for ca in removed)
    ]
    return Step(
        replace(
            content,
            authorities=kept,
            certificates={k: v for k, v in content.certificates.items() if k not in undeclared},
        ),
        (
            *(
                f"CA {principal_subject(each.certificate)}: dropped, with its key"
                for each in removed
            ),
            *(f"certificate {name}: dropped with its CA, not declared" for name in undeclared),
        ),
    )


def trusted_roots(
    content: Content, others: Iterable[x509.Certificate]
) -> tuple[tuple[x509.Certificate, ...], tuple[str, ...]]:
    """Return the trusted roots, those of the store's CAs and of the site, and the changes."""
    roots = tuple(dict.fromkeys([*(each.root for each in content.authorities), *others]))
    # In a new store all roots are new, and the message about the CA is enough.
    added = [root for root in roots if root not in content.roots] if content.roots else []
    gone = [root for root in content.roots if root not in roots]
    return roots, (
        *(f"trusted root {principal_subject(root)}: added" for root in added),
        *(f"trusted root {principal_subject(root)}: removed" for root in gone),
    )


def blockers(before: Content, after: Content) -> list[str]:
    """Return the reasons why members would not trust each other during the roll-out.

    A new certificate must have a root that was trusted before, and a root may be removed only if no
    certificate had it before. Then members with the old and with the new store trust each other.
    """
    problems = []
    for name, pair in before.certificates.items():
        new = after.certificates.get(name)
        if new is None:
            continue
        root = find_root(new.certificate, new.chain, after.roots)
        if root is not None and root not in before.roots:
            problems.append(
                f"certificates: {name}: found a new root, {principal_subject(root)}; required: one "
                "that members already trust: add it first (rotate: ca with phase: trust, or "
                "ca.trusted_file) and roll that out; phase: replace does it at once, with downtime"
            )
        old = find_root(pair.certificate, pair.chain, before.roots)
        if old is not None and old not in after.roots:
            problems.append(
                f"certificates: {name}: found the root {principal_subject(old)} no longer trusted, "
                "but members still have its certificates; required: trusted until new "
                "certificates are rolled out (in ca.trusted_file or ca.crt)"
            )
    return problems
