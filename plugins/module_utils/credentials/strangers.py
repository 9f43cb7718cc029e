# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A cluster that was made from another store is not given other keys by accident."""

from __future__ import annotations

from collections.abc import Callable

from ..pki.pem import fingerprint
from .content import Content
from .wishes import CredentialsError, Wish

HELP = "docs/security-store.md"
# How many containers a refusal names.
NAMED = 3


def refuse(
    wish: Wish, path: str, held: Content | None, earlier: Callable[[], Content | None]
) -> None:
    """Raise CredentialsError where the machines trust CAs and the store has none of them.

    ``path`` is the store's, ``held`` what it holds, ``earlier`` gives its generation before: after
    a CA was replaced at once, machines have that one until they get the new one.
    """
    machines = wish.machines
    if not machines.roots or machines.roots & _roots(held) or machines.roots & _roots(earlier()):
        return
    store = "there is no store yet" if held is None else "none of them in the store"
    found = f"store {path}: found machines of cluster {wish.cluster} that trust other CAs, {store}"
    if machines.anew != wish.cluster:
        raise CredentialsError(
            f"{found}: it was brought up from another store; wanted: that store and its password, "
            "from your backup or from the control node that has them; where they are lost, see "
            f"{HELP}"
        )
    if machines.running:
        names = ", ".join(sorted(machines.running)[:NAMED])
        raise CredentialsError(
            f"{found}, and {len(machines.running)} containers that run ({names}…); wanted: the "
            "cluster stopped before it gets new keys and passwords (make down)"
        )


def _roots(content: Content | None) -> set[str]:
    """Fingerprints of what members trust with this content."""
    return {fingerprint(root) for root in content.roots} if content else set()
