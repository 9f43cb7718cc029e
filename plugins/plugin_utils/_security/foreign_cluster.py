# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Protection against new keys for a cluster that already has keys from another store."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .credentials_model import CredentialsError, Spec
from .pki.pem import fingerprint
from .store_document import Content

HELP = "docs/operate/guides/secret-store.md"
# Number of items that a message lists.
NAMED = 3


def refuse_foreign_cluster(
    spec: Spec, path: str, held: Content | None, earlier: Callable[[], Content | None]
) -> None:
    """Raise CredentialsError if this store would replace the keys of a cluster.

    ``path`` is the path of the store, ``held`` its content, ``earlier`` returns its previous
    generation: after phase replace, machines have the old CA until the roll-out.
    """
    if held is None and spec.rotate != "none":
        raise CredentialsError(
            f"store {path}: it does not exist, so nothing can be rotated; required: {WANTED}"
        )
    roots = {root for machine in spec.machines for root in machine.roots}
    if held is not None and (not roots or roots & (_roots(held) | _roots(earlier()))):
        return
    # From here on, the run would generate all keys.
    named = spec.replace_keys_of == spec.cluster
    if roots and not named:
        raise CredentialsError(
            f"{_foreign(spec, path, held)}: it was created from another store; required: {WANTED}"
        )
    if not roots and not named:
        _refuse_unknown(spec, path)
    if named:
        _refuse_running(spec, path)


WANTED = (
    "that store and its password, from your backup or from the control node that has them; if "
    f"they are lost, see {HELP}"
)


def _refuse_unknown(spec: Spec, path: str) -> None:
    """Raise CredentialsError if it is unknown whether the cluster has keys."""
    reasons = [f"{each.name}: {reason}" for each in spec.machines for reason in each.unreadable]
    reasons += [
        f"{each.name}: data of a cluster in {_join_first(each.data)}, "
        "but no configuration with its CA"
        for each in spec.machines
        if each.data and not each.configured
    ]
    if reasons:
        raise CredentialsError(
            f"store {path}: it does not exist yet, and it is unknown whether cluster "
            f"{spec.cluster} already has keys: {_join_first(reasons, '; ')}; required: every "
            f"machine in the run, with readable files; or {WANTED}"
        )


def _refuse_running(spec: Spec, path: str) -> None:
    """Raise CredentialsError if containers of the cluster run, or may run."""
    running = sorted(name for each in spec.machines for name in each.running)
    if running:
        raise CredentialsError(
            f"store {path}: found machines of cluster {spec.cluster} with {len(running)} "
            f"running containers ({_join_first(running)}); required: a stopped cluster before it "
            "gets new keys and passwords (make down)"
        )
    absent = [each.name for each in spec.machines if not each.reached]
    if absent:
        raise CredentialsError(
            f"store {path}: found {len(absent)} machines outside the run ({_join_first(absent)}); "
            "required: every machine of the inventory in a run that generates new keys; remove "
            "lost machines from the inventory"
        )


def _foreign(spec: Spec, path: str, held: Content | None) -> str:
    """Return the first part of a message: what was found."""
    store = "the store does not exist yet" if held is None else "none of them in the store"
    return f"store {path}: found machines of cluster {spec.cluster} that trust other CAs, {store}"


def _join_first(items: Iterable[str], separator: str = ", ") -> str:
    """Text of the first items."""
    found = list(items)
    return separator.join(found[:NAMED]) + ("…" if len(found) > NAMED else "")


def _roots(content: Content | None) -> set[str]:
    """Fingerprints of the trusted roots and of the CAs in this content."""
    if content is None:
        return set()
    return {fingerprint(root) for root in content.roots} | {
        each.fingerprint for each in content.authorities
    }
