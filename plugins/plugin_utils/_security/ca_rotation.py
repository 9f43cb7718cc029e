# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Another CA, without a moment in which two members do not trust each other.

A rotation has three steps, each rolled out to all members before the next: the new root is trusted
beside the old one; all certificates are issued anew; the old root goes. The same two rules hold
for every change of the store, whoever makes the certificates (see ``blockers``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from cryptography import x509

from .credentials_model import CredentialsError, Spec
from .pki import authority
from .pki.authority import Authority, day
from .pki.pem import subject_of
from .pki.provided import root_of
from .store_document import Content

# Where a rotation stands.
NONE, TRUSTED, ISSUED = "none", "trusted", "issued"

NEXT = {
    TRUSTED: "a new CA is trusted beside the present one; once every member knows it: phase issue",
    ISSUED: "all certificates are those of the new CA; once every member has its own: phase drop",
}


@dataclass(frozen=True)
class Step:
    """The content after a step, and what was done in messages."""

    content: Content
    said: tuple[str, ...] = ()


def state(content: Content) -> str:
    """How far a rotation of the CA has come."""
    prints = [each.fingerprint for each in content.authorities]
    if len(prints) < 2:
        return NONE
    return ISSUED if prints[-1] == content.issuer else TRUSTED


def advance(content: Content, spec: Spec, given: Authority | None, now: datetime) -> Step:
    """The CAs as the spec wants them; ``given`` is the one that the site brings."""
    if spec.ca.directory:
        return _beside_a_directory(content, spec, now)
    if not content.authorities:
        return _next(content, spec, given, now, issues=True)
    known = given is None or given.fingerprint in {a.fingerprint for a in content.authorities}
    if spec.rotate != "ca":
        if given and not known:
            raise CredentialsError(_another(content, given))
        return Step(content)
    return PHASES[spec.phase](content, spec, given, now)


def _another(content: Content, given: Authority) -> str:
    has = ", ".join(subject_of(each.certificate) for each in content.authorities)
    return (
        f"ca: certificate_file: found {subject_of(given.certificate)}, the store has {has}; "
        "wanted: the same one, or rotate: ca with phase: trust, issue, drop"
    )


def _trust(content: Content, spec: Spec, given: Authority | None, now: datetime) -> Step:
    if state(content) != NONE:
        if given and given.fingerprint not in {a.fingerprint for a in content.authorities}:
            raise CredentialsError(
                f"ca: certificate_file: found {subject_of(given.certificate)} while another "
                "rotation is under way; wanted: phase issue and drop of that one first"
            )
        return Step(content)
    _differs(content, given)
    return _next(content, spec, given, now, issues=False)


def _differs(content: Content, given: Authority | None) -> None:
    """Refuse to rotate from a CA to itself."""
    if given and given.fingerprint == content.issuer:
        raise CredentialsError(
            f"ca: certificate_file: found the present CA, {subject_of(given.certificate)}; "
            "wanted: the one that is to follow it"
        )


def _issue(content: Content, spec: Spec, given: Authority | None, now: datetime) -> Step:
    if state(content) == NONE:
        raise CredentialsError(
            "phase: found issue, and no new CA that is trusted; wanted: phase trust first, rolled "
            "out to every member"
        )
    return Step(replace(content, issuer=content.authorities[-1].fingerprint))


def _drop(content: Content, spec: Spec, given: Authority | None, now: datetime) -> Step:
    if state(content) == TRUSTED:
        raise CredentialsError(
            "phase: found drop, and certificates of the old CA; wanted: phase issue first, rolled "
            "out to every member"
        )
    signing = content.signing
    kept = tuple(each for each in content.authorities if each is signing)
    return _without(content, spec, kept)


def _replace(content: Content, spec: Spec, given: Authority | None, now: datetime) -> Step:
    _differs(content, given)
    dropped = _without(content, spec, ())
    new = _next(dropped.content, spec, given, now, issues=True)
    return Step(new.content, dropped.said + new.said)


PHASES = {"trust": _trust, "issue": _issue, "drop": _drop, "replace": _replace}


def _beside_a_directory(content: Content, spec: Spec, now: datetime) -> Step:
    """CAs of the store while certificates come ready-made: kept for the change to or from it."""
    if spec.phase in ("drop", "replace"):
        dropped = _without(content, spec, ())
        return replace(dropped, content=replace(dropped.content, issuer=""))
    if spec.phase == "trust" and not content.authorities:
        return _next(content, spec, None, now, issues=True)
    return Step(content)


def _next(
    content: Content, spec: Spec, given: Authority | None, now: datetime, *, issues: bool
) -> Step:
    """One more CA: the site's own, or one that is made."""
    number = content.made + (given is None)
    new = given or authority.make(
        spec.cluster, f"{spec.ca.common_name} G{number}", spec.ca.days, now
    )
    end = day(new.certificate.not_valid_after_utc)
    done = "taken from the site" if given else "made"
    return Step(
        replace(
            content,
            authorities=(*content.authorities, new),
            issuer=new.fingerprint if issues else content.issuer,
            made=number,
        ),
        (f"CA {subject_of(new.certificate)}: {done}, valid until {end}",),
    )


def _without(content: Content, spec: Spec, kept: tuple[Authority, ...]) -> Step:
    """CAs that go, and with them certificates that nobody declares any more."""
    gone = [each for each in content.authorities if each not in kept]
    declared = {leaf.name for leaf in spec.certificates}
    lost = [
        name
        for name, pair in content.certificates.items()
        if name not in declared
        and any(authority.signed_by(pair.certificate, ca.certificate) for ca in gone)
    ]
    return Step(
        replace(
            content,
            authorities=kept,
            certificates={k: v for k, v in content.certificates.items() if k not in lost},
        ),
        (
            *(f"CA {subject_of(each.certificate)}: dropped, with its key" for each in gone),
            *(f"certificate {name}: dropped with its CA, nobody declares it" for name in lost),
        ),
    )


def roots_of(
    content: Content, others: Iterable[x509.Certificate]
) -> tuple[tuple[x509.Certificate, ...], tuple[str, ...]]:
    """What is trusted now: the roots of our CAs and those of the site; and what that changes."""
    roots = tuple(dict.fromkeys([*(each.root for each in content.authorities), *others]))
    # At first everything is new, which the CA has said already.
    added = [root for root in roots if root not in content.roots] if content.roots else []
    gone = [root for root in content.roots if root not in roots]
    return roots, (
        *(f"trusted root {subject_of(root)}: added" for root in added),
        *(f"trusted root {subject_of(root)}: removed" for root in gone),
    )


def blockers(before: Content, after: Content) -> list[str]:
    """Why members would lose each other while the change is rolled out.

    A certificate may be followed only by one of a root that was trusted before; a root may go only
    when no certificate led to it before. So any member with the store before it and any member
    with the store after it understand each other.
    """
    problems = []
    for name, pair in before.certificates.items():
        new = after.certificates.get(name)
        if new is None:
            continue
        root = root_of(new.certificate, new.chain, after.roots)
        if root is not None and root not in before.roots:
            problems.append(
                f"certificates: {name}: found a new root, {subject_of(root)}; wanted: one that "
                "members trust already: add it first (rotate: ca with phase: trust, or "
                "ca.trusted_file) and roll that out; phase: replace does it at once, and interrupts"
            )
        old = root_of(pair.certificate, pair.chain, before.roots)
        if old is not None and old not in after.roots:
            problems.append(
                f"certificates: {name}: found the root {subject_of(old)} no longer trusted, which "
                "members still have certificates of; wanted: trusted until new ones are rolled "
                "out (in ca.trusted_file or ca.crt)"
            )
    return problems
