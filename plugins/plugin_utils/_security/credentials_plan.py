# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Plan of the store's new content from its current content and the spec, with messages."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from cryptography import x509

from . import ca_rotation, exposed_secrets, quorum_ca
from .credentials_model import CredentialsError, Spec
from .pki import provided as ready_made
from .pki.authority import Authority, format_day
from .pki.leaf import Leaf, Pair, issue
from .pki.pem import principal_subject
from .pki.renewal import days_left, reason_to_renew
from .store_document import Content, Password

# 192 bits, as 32 characters that need no quotes.
PASSWORD_BYTES = 24


@dataclass(frozen=True)
class ProvidedFiles:
    """Files that the site provides: a CA, further roots, or ready-made certificates by name."""

    authority: Authority | None = None
    roots: tuple[x509.Certificate, ...] = ()
    pairs: Mapping[str, Pair] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """The new content, its changes, and notes for the operator."""

    content: Content
    steps: tuple[str, ...]
    notes: tuple[str, ...]


def plan(held: Content | None, spec: Spec, given: ProvidedFiles, now: datetime) -> Plan:
    """Plan the new content; raises CredentialsError if the spec cannot be met."""
    before = held or Content(spec.cluster)
    if before.cluster != spec.cluster:
        raise CredentialsError(
            f"store: found the store of cluster {before.cluster}; required: a separate store for "
            f"cluster {spec.cluster}"
        )
    advanced = ca_rotation.advance(before, spec, given.authority, now)
    content, steps = advanced.content, list(advanced.messages)
    roots, messages = ca_rotation.trusted_roots(content, given.roots)
    content, steps = replace(content, roots=roots), [*steps, *messages]
    for part in (_purge, _certificates, _passwords):
        content, messages = part(content, spec, given, now)
        steps += messages
    problems = [] if spec.phase == "replace" else ca_rotation.blockers(before, content)
    if problems:
        raise CredentialsError(*problems)
    own, messages = quorum_ca.advance(
        held,
        content,
        spec,
        now,
        lambda theirs, mine: _certificates(theirs, mine, ProvidedFiles(), now),
    )
    steps += [f"quorum of the ensemble: {each}" for each in messages]
    content = exposed_secrets.mark_generations(held, replace(content, quorum=own))
    return Plan(content, tuple(steps), _notes(content, spec, now))


Part = tuple[Content, tuple[str, ...]]


def unused_items(content: Content, spec: Spec) -> list[str]:
    """Certificates and passwords in the store that are not declared."""
    declared = {leaf.name for leaf in spec.leaves}
    certificates = {*content.certificates, *_quorum_certificates(content)} - declared
    passwords = content.passwords.keys() - set(spec.passwords)
    return [
        *(f"certificate {name}" for name in sorted(certificates)),
        *(f"password {name}" for name in sorted(passwords)),
    ]


def _purge(content: Content, spec: Spec, given: ProvidedFiles, now: datetime) -> Part:
    kinds = ("certificate", "password") if spec.purge else ("password",)
    removed = [item for item in unused_items(content, spec) if item.startswith(kinds)]
    if not (spec.purge or spec.purge_passwords) or not removed:
        return content, ()
    messages = tuple(f"{item}: removed, not declared" for item in removed)
    passwords = {k: v for k, v in content.passwords.items() if k in spec.passwords}
    if not spec.purge:
        return replace(content, passwords=passwords), messages
    declared = {leaf.name for leaf in spec.leaves}
    own = content.quorum
    kept = {k: v for k, v in _quorum_certificates(content).items() if k in declared}
    return replace(
        content,
        certificates={k: v for k, v in content.certificates.items() if k in declared},
        passwords=passwords,
        quorum=own and replace(own, held=replace(own.held, certificates=kept)),
    ), messages


def _quorum_certificates(content: Content) -> Mapping[str, Pair]:
    """Certificates that the quorum's CA issues."""
    return content.quorum.held.certificates if content.quorum else {}


def _certificates(content: Content, spec: Spec, given: ProvidedFiles, now: datetime) -> Part:
    if spec.ca.directory:
        return _provided(content, spec, given, now)
    signing = content.signing
    if signing is None:
        raise CredentialsError(
            "ca: found no issuing CA in the store; required: rotate: ca with phase: replace"
        )
    if spec.certificates and days_left(signing.certificate, now) < 0:
        raise CredentialsError(
            f"ca: found {principal_subject(signing.certificate)}, expired since "
            f"{format_day(signing.certificate.not_valid_after_utc)}; required: a new CA, by "
            "rotate: ca with phase: replace, since its certificates are no longer trusted"
        )
    certificates, messages = dict(content.certificates), []
    for leaf in spec.certificates:
        reason = _reason_to_issue(content.certificates.get(leaf.name), leaf, signing, spec, now)
        if reason is not None:
            pair = certificates[leaf.name] = issue(leaf, signing, now)
            end = format_day(pair.certificate.not_valid_after_utc)
            messages.append(f"certificate {leaf.name}: {reason}, valid until {end}")
    return replace(content, certificates=certificates), tuple(messages)


def _reason_to_issue(
    pair: Pair | None, leaf: Leaf, signing: Authority, spec: Spec, now: datetime
) -> str | None:
    if pair is None:
        return "issued"
    if spec.rotate == "certificates" and leaf.name in (spec.names or [leaf.name]):
        return "renewed: as requested"
    reason = reason_to_renew(pair, leaf, signing, now, spec.renew_before_days)
    return reason and f"renewed: {reason}"


def _provided(content: Content, spec: Spec, given: ProvidedFiles, now: datetime) -> Part:
    """Import ready-made certificates, after all of them have been validated."""
    certificates, messages, problems = dict(content.certificates), [], []
    for leaf in spec.certificates:
        pair = given.pairs[leaf.name]
        path = f"{spec.ca.directory}/{leaf.name}.crt"
        found = ready_made.blockers(pair, leaf, given.roots, now)
        problems += [f"{path}: {problem}" for problem in found]
        has = content.certificates.get(leaf.name)
        if has is None or has.keystore() != pair.keystore():
            end = format_day(pair.certificate.not_valid_after_utc)
            messages.append(f"certificate {leaf.name}: imported from {path}, valid until {end}")
            certificates[leaf.name] = pair
    if problems:
        raise CredentialsError(*problems)
    return replace(content, certificates=certificates), tuple(messages)


def _passwords(content: Content, spec: Spec, given: ProvidedFiles, now: datetime) -> Part:
    passwords, messages = dict(content.passwords), []
    for name in spec.passwords:
        has, provided = passwords.get(name), spec.provided_passwords.get(name)
        requested = spec.rotate == "passwords" and name in (spec.names or [name])
        if provided is not None:
            if has and has.value == provided:
                continue
            value, done = provided, "provided by the site"
        elif has and not requested:
            continue
        else:
            value = secrets.token_urlsafe(PASSWORD_BYTES)
            done = "changed: as requested" if has else "generated"
        passwords[name] = Password(value, format_day(now), has.value if has else None)
        messages.append(f"password {name}: {done}")
    return replace(content, passwords=passwords), tuple(messages)


def _notes(content: Content, spec: Spec, now: datetime) -> tuple[str, ...]:
    notes = []
    state = ca_rotation.state(content)
    if state in ca_rotation.NEXT and not spec.ca.directory:
        notes.append(f"rotation of the CA: {ca_rotation.NEXT[state]}")
    signing = None if spec.ca.directory else content.signing
    longest = max((leaf.days for leaf in spec.certificates), default=0)
    if signing and days_left(signing.certificate, now) < longest:
        end = format_day(signing.certificate.not_valid_after_utc)
        notes.append(
            f"CA {principal_subject(signing.certificate)}: expires on {end}, with its "
            "certificates; required: rotate: ca with phase: trust, issue, drop"
        )
    for leaf in spec.certificates if spec.ca.directory else ():
        left = days_left(content.certificates[leaf.name].certificate, now)
        if left < spec.renew_before_days:
            path = f"{spec.ca.directory}/{leaf.name}.crt"
            notes.append(f"certificate {leaf.name}: expires in {left} days; replace {path}")
    return tuple(notes)
