# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""From what the store holds and what is desired to what it shall hold, in messages."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from cryptography import x509

from . import ca_rotation, exposed_secrets, quorum_ca
from .credentials_model import CredentialsError, Spec
from .pki import provided as ready_made
from .pki.authority import Authority, day
from .pki.leaf import Leaf, Pair, issue
from .pki.pem import subject_of
from .pki.renewal import days_left, reason_to_renew
from .store_document import Content, Password

# 24 bytes are 32 characters that need no quotes anywhere, and 192 bits.
PASSWORD_BYTES = 24


@dataclass(frozen=True)
class Given:
    """What the site brings in files: a CA, further roots, or ready-made certificates by name."""

    authority: Authority | None = None
    roots: tuple[x509.Certificate, ...] = ()
    pairs: Mapping[str, Pair] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """The content to come, what changes, and what an operator should know besides."""

    content: Content
    steps: tuple[str, ...]
    notes: tuple[str, ...]


def plan(held: Content | None, spec: Spec, given: Given, now: datetime) -> Plan:
    """Raises CredentialsError when the spec cannot be met; then nothing may be written."""
    before = held or Content(spec.cluster)
    if before.cluster != spec.cluster:
        raise CredentialsError(
            f"store: found that of cluster {before.cluster}; wanted: one of its own for cluster "
            f"{spec.cluster}"
        )
    advanced = ca_rotation.advance(before, spec, given.authority, now)
    content, steps = advanced.content, list(advanced.said)
    roots, said = ca_rotation.roots_of(content, given.roots)
    content, steps = replace(content, roots=roots), [*steps, *said]
    for part in (_purged, _certificates, _passwords):
        content, said = part(content, spec, given, now)
        steps += said
    problems = [] if spec.phase == "replace" else ca_rotation.blockers(before, content)
    if problems:
        raise CredentialsError(*problems)
    own, said = quorum_ca.advance(
        held, content, spec, now, lambda theirs, mine: _certificates(theirs, mine, Given(), now)
    )
    steps += [f"quorum of the ensemble: {each}" for each in said]
    content = exposed_secrets.marked(held, replace(content, quorum=own))
    return Plan(content, tuple(steps), _notes(content, spec, now))


Part = tuple[Content, tuple[str, ...]]


def unused(content: Content, spec: Spec) -> list[str]:
    """What the store holds and nobody declares."""
    declared = {leaf.name for leaf in spec.leaves}
    certificates = {*content.certificates, *_of_quorum(content)} - declared
    passwords = content.passwords.keys() - set(spec.passwords)
    return [
        *(f"certificate {name}" for name in sorted(certificates)),
        *(f"password {name}" for name in sorted(passwords)),
    ]


def _purged(content: Content, spec: Spec, given: Given, now: datetime) -> Part:
    kinds = ("certificate", "password") if spec.purge else ("password",)
    gone = [item for item in unused(content, spec) if item.startswith(kinds)]
    if not (spec.purge or spec.purge_passwords) or not gone:
        return content, ()
    said = tuple(f"{item}: removed, nobody declares it" for item in gone)
    passwords = {k: v for k, v in content.passwords.items() if k in spec.passwords}
    if not spec.purge:
        return replace(content, passwords=passwords), said
    declared = {leaf.name for leaf in spec.leaves}
    own = content.quorum
    left = {k: v for k, v in _of_quorum(content).items() if k in declared}
    return replace(
        content,
        certificates={k: v for k, v in content.certificates.items() if k in declared},
        passwords=passwords,
        quorum=own and replace(own, held=replace(own.held, certificates=left)),
    ), said


def _of_quorum(content: Content) -> Mapping[str, Pair]:
    """Certificates that the quorum's CA issues."""
    return content.quorum.held.certificates if content.quorum else {}


def _certificates(content: Content, spec: Spec, given: Given, now: datetime) -> Part:
    if spec.ca.directory:
        return _taken(content, spec, given, now)
    signing = content.signing
    if signing is None:
        raise CredentialsError(
            "ca: found no CA in the store that issues; wanted: rotate: ca with phase: replace"
        )
    if spec.certificates and days_left(signing.certificate, now) < 0:
        raise CredentialsError(
            f"ca: found {subject_of(signing.certificate)}, expired since "
            f"{day(signing.certificate.not_valid_after_utc)}; wanted: a new one, by rotate: ca "
            "with phase: replace, for nothing of the old one is trusted any more"
        )
    certificates, said = dict(content.certificates), []
    for leaf in spec.certificates:
        why = _why(content.certificates.get(leaf.name), leaf, signing, spec, now)
        if why is not None:
            pair = certificates[leaf.name] = issue(leaf, signing, now)
            end = day(pair.certificate.not_valid_after_utc)
            said.append(f"certificate {leaf.name}: {why}, valid until {end}")
    return replace(content, certificates=certificates), tuple(said)


def _why(
    pair: Pair | None, leaf: Leaf, signing: Authority, spec: Spec, now: datetime
) -> str | None:
    if pair is None:
        return "issued"
    if spec.rotate == "certificates" and leaf.name in (spec.names or [leaf.name]):
        return "renewed: somebody asked for it"
    reason = reason_to_renew(pair, leaf, signing, now, spec.renew_before_days)
    return reason and f"renewed: {reason}"


def _taken(content: Content, spec: Spec, given: Given, now: datetime) -> Part:
    """Ready-made certificates, all of them judged before one is taken."""
    certificates, said, problems = dict(content.certificates), [], []
    for leaf in spec.certificates:
        pair = given.pairs[leaf.name]
        path = f"{spec.ca.directory}/{leaf.name}.crt"
        judged = ready_made.blockers(pair, leaf, given.roots, now)
        problems += [f"{path}: {problem}" for problem in judged]
        has = content.certificates.get(leaf.name)
        if has is None or has.keystore() != pair.keystore():
            end = day(pair.certificate.not_valid_after_utc)
            said.append(f"certificate {leaf.name}: taken from {path}, valid until {end}")
            certificates[leaf.name] = pair
    if problems:
        raise CredentialsError(*problems)
    return replace(content, certificates=certificates), tuple(said)


def _passwords(content: Content, spec: Spec, given: Given, now: datetime) -> Part:
    passwords, said = dict(content.passwords), []
    for name in spec.passwords:
        has, brought = passwords.get(name), spec.given_passwords.get(name)
        asked = spec.rotate == "passwords" and name in (spec.names or [name])
        if brought is not None:
            if has and has.value == brought:
                continue
            value, done = brought, "taken from the site"
        elif has and not asked:
            continue
        else:
            value = secrets.token_urlsafe(PASSWORD_BYTES)
            done = "changed: somebody asked for it" if has else "generated"
        passwords[name] = Password(value, day(now), has.value if has else None)
        said.append(f"password {name}: {done}")
    return replace(content, passwords=passwords), tuple(said)


def _notes(content: Content, spec: Spec, now: datetime) -> tuple[str, ...]:
    notes = []
    where = ca_rotation.state(content)
    if where in ca_rotation.NEXT and not spec.ca.directory:
        notes.append(f"rotation of the CA: {ca_rotation.NEXT[where]}")
    signing = None if spec.ca.directory else content.signing
    longest = max((leaf.days for leaf in spec.certificates), default=0)
    if signing and days_left(signing.certificate, now) < longest:
        end = day(signing.certificate.not_valid_after_utc)
        notes.append(
            f"CA {subject_of(signing.certificate)}: ends on {end}, and certificates with it; "
            "rotate it: rotate: ca with phase: trust, issue, drop"
        )
    for leaf in spec.certificates if spec.ca.directory else ():
        left = days_left(content.certificates[leaf.name].certificate, now)
        if left < spec.renew_before_days:
            path = f"{spec.ca.directory}/{leaf.name}.crt"
            notes.append(f"certificate {leaf.name}: {left} days are left; put a new one at {path}")
    return tuple(notes)
