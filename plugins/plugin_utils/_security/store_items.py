# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Single secrets of a store, by the terms of the lookup ``secret``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils._common.suggestions import list_allowed

# Kinds that need a name, with their key in the store; the others have no name.
NAMED = {
    "password": "passwords",
    "previous_password": "passwords",
    "keypair": "certificates",
    "key": "certificates",
    "certificate": "certificates",
}
ALONE = ("truststore", "ca", "quorum_truststore", "quorum_stage")
# Stage of a store without a CA for the quorum.
PLATFORM = "platform"


class TermError(ValueError):
    """A term that is not of the form KIND or KIND:NAME."""


class MissingSecretError(LookupError):
    """The store does not contain the secret."""


def split_term(term: str) -> tuple[str, str]:
    """Kind and name of a term such as C(password:alice)."""
    kind, colon, name = term.partition(":")
    if kind in ALONE and not colon:
        return kind, ""
    if kind in NAMED and name:
        return kind, name
    if kind in NAMED:
        raise TermError(f"found {term!r}; allowed: {kind}:NAME")
    if kind in ALONE:
        raise TermError(f"found {term!r}; allowed: {kind}, without a name")
    raise TermError(f"found {term!r}; allowed: {list_allowed(kind, [*NAMED, *ALONE])}")


def find_secret(store: Mapping[str, Any], term: str) -> str:
    """Return the text of one secret. ``store`` is the document of a store in plain types."""
    kind, name = split_term(term)
    if kind == "truststore":
        if not store["roots"]:
            raise MissingSecretError("the store has no trusted root")
        return "".join(store["roots"])
    if kind == "ca":
        return _ca(store)
    quorum = store.get("quorum") or {"stage": PLATFORM, "roots": [], "certificates": {}}
    if kind == "quorum_stage":
        return str(quorum["stage"])
    if kind == "quorum_truststore":
        if not quorum["roots"]:
            raise MissingSecretError("the store has no CA of the quorum")
        return "".join(quorum["roots"])
    items = {**store[NAMED[kind]], **(quorum["certificates"] if kind != "password" else {})}
    if name not in items:
        names = ", ".join(sorted(items)) or "-"
        raise MissingSecretError(f"the store has no {kind} {name!r}; it has: {names}")
    item = items[name]
    if kind == "password":
        return str(item["value"])
    if kind == "previous_password":
        if item["previous"] is None:
            raise MissingSecretError(f"the password {name!r} has never been changed")
        return str(item["previous"])
    key, certificates = str(item["key"]), f"{item['certificate']}{item['chain']}"
    return {"keypair": key + certificates, "key": key, "certificate": certificates}[kind]


def _ca(store: Mapping[str, Any]) -> str:
    """The certificate of the issuing CA, with its chain."""
    for each in store["authorities"]:
        if each["fingerprint"] == store["issuer"]:
            return f"{each['certificate']}{each['chain']}"
    raise MissingSecretError("the store has no CA; certificates are ready-made")
