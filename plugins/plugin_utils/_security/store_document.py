# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Content of the store as objects and as text. The text must not leave the vault."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from cryptography import x509

from .pki.authority import Authority
from .pki.leaf import Pair
from .pki.pem import PkiError, key_pem, parse_certificates, parse_key, to_pem

FORMAT = 1
# Format with a CA for the quorum: older releases would remove that CA, and reject this format.
WITH_QUORUM = 2


class ContentError(ValueError):
    """The text of a store is invalid; the message has the reason, but no content."""


@dataclass(frozen=True)
class Password:
    """A password, the previous one, and the day of the last change."""

    value: str
    since: str
    previous: str | None = None

    def __repr__(self) -> str:
        """Return a text without values, since representations end up in logs."""
        return f"Password(since={self.since})"


@dataclass(frozen=True)
class Content:
    """Content of one cluster's store.

    ``authorities`` are CAs with keys, the oldest first; ``issuer`` is the fingerprint of the one
    that signs. ``roots`` are the roots that members trust, also provided ones. ``made`` is the
    number of generated CAs, for their names. ``generations``: by secret, see exposed_secrets.py.
    """

    cluster: str
    authorities: tuple[Authority, ...] = ()
    issuer: str = ""
    roots: tuple[x509.Certificate, ...] = ()
    certificates: Mapping[str, Pair] = field(default_factory=dict)
    passwords: Mapping[str, Password] = field(default_factory=dict)
    made: int = 0
    generations: Mapping[str, int] = field(default_factory=dict)
    quorum: Quorum | None = None

    @property
    def signing(self) -> Authority | None:
        """The issuing CA; None with ready-made certificates."""
        return next((a for a in self.authorities if a.fingerprint == self.issuer), None)


@dataclass(frozen=True)
class Quorum:
    """CAs and certificates of the quorum ports of metadata servers; ``stage``: see quorum_ca.py.

    ``held`` is a separate content without passwords.
    """

    stage: str
    held: Content


def parse_document(text: str) -> dict[str, Any]:
    """Parse the text of a store into plain types."""
    try:
        found = json.loads(text)
        version = found["format"]
    except (ValueError, KeyError, TypeError):
        raise ContentError("found no store of credentials in the vault") from None
    if version not in (FORMAT, WITH_QUORUM):
        raise ContentError(
            f"found a store of format {version}; allowed: {FORMAT} or {WITH_QUORUM}, or a newer "
            "kafka-metal"
        )
    return dict(found)


def read(text: str) -> Content:
    """Parse the decrypted text of a store; raises ContentError."""
    found = parse_document(text)
    try:
        quorum = found.get("quorum")
        return replace(
            _content(found),
            quorum=quorum and Quorum(quorum["stage"], _content(quorum)),
        )
    except (KeyError, TypeError, AttributeError, PkiError) as error:
        raise ContentError(f"found a damaged store of credentials ({type(error).__name__})") from (
            None
        )


def _content(found: Mapping[str, Any]) -> Content:
    return Content(
        cluster=found["cluster"],
        authorities=tuple(
            Authority(*_three(each["certificate"], each["key"], each["chain"]))
            for each in found["authorities"]
        ),
        issuer=found["issuer"],
        roots=tuple(_one(each) for each in found["roots"]),
        certificates={
            name: Pair(*_three(each["certificate"], each["key"], each["chain"]))
            for name, each in found["certificates"].items()
        },
        passwords={name: Password(**each) for name, each in found["passwords"].items()},
        made=found["made"],
        # Stores of earlier releases have none.
        generations={str(k): int(v) for k, v in found.get("generations", {}).items()},
    )


def _one(text: str) -> x509.Certificate:
    return parse_certificates(text.encode())[0]


def _three(certificate: str, key: str, chain: str) -> tuple[Any, Any, Any]:
    issuers = parse_certificates(chain.encode()) if chain else ()
    return _one(certificate), parse_key(key.encode()), issuers


def write(content: Content) -> str:
    """Return the text of a store; equal contents have equal texts."""
    quorum = content.quorum
    own = {"quorum": {"stage": quorum.stage, **_plain(quorum.held)}} if quorum else {}
    version = WITH_QUORUM if quorum else FORMAT
    return json.dumps({"format": version, **_plain(content), **own}, indent=1, sort_keys=True)


def _plain(content: Content) -> dict[str, Any]:
    return {
        "cluster": content.cluster,
        "authorities": [
            {**_signed(each), "fingerprint": each.fingerprint} for each in content.authorities
        ],
        "issuer": content.issuer,
        "roots": [to_pem([root]) for root in content.roots],
        "certificates": {name: _signed(each) for name, each in content.certificates.items()},
        "passwords": {
            name: {"value": each.value, "since": each.since, "previous": each.previous}
            for name, each in content.passwords.items()
        },
        "made": content.made,
        **({"generations": dict(content.generations)} if content.generations else {}),
    }


def _signed(each: Authority | Pair) -> dict[str, str]:
    return {
        "certificate": to_pem([each.certificate]),
        "chain": to_pem(each.chain),
        "key": key_pem(each.key),
    }
