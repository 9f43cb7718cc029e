# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""New keys are made only for a new cluster, never by accident for one that has keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .credentials_model import CredentialsError, Spec
from .pki.pem import fingerprint
from .store_document import Content

HELP = "docs/operate/guides/secret-store.md"
# How many things of a kind a refusal names.
NAMED = 3


def refuse(
    spec: Spec, path: str, held: Content | None, earlier: Callable[[], Content | None]
) -> None:
    """Raise CredentialsError where this store would give a cluster other keys than it has.

    ``path`` is the store's, ``held`` what it holds, ``earlier`` gives its generation before: after
    a CA was replaced at once, machines have that one until they get the new one.
    """
    if held is None and spec.rotate != "none":
        raise CredentialsError(
            f"store {path}: there is none, so that there is nothing to rotate; wanted: {WANTED}"
        )
    roots = {root for machine in spec.machines for root in machine.roots}
    if held is not None and (not roots or roots & (_roots(held) | _roots(earlier()))):
        return
    # From here on all keys would be new.
    named = spec.anew == spec.cluster
    if roots and not named:
        raise CredentialsError(
            f"{_foreign(spec, path, held)}: it was brought up from another store; wanted: {WANTED}"
        )
    if not roots and not named:
        _refuse_unknown(spec, path)
    if named:
        _refuse_running(spec, path)


WANTED = (
    "that store and its password, from your backup or from the control node that has them; where "
    f"they are lost, see {HELP}"
)


def _refuse_unknown(spec: Spec, path: str) -> None:
    """Refuse where it cannot be told whether the cluster has keys."""
    why = [f"{each.name}: {reason}" for each in spec.machines for reason in each.unread]
    why += [
        f"{each.name}: data of a cluster in {_some(each.data)}, and no configuration that tells "
        "its CA"
        for each in spec.machines
        if each.data and not each.configured
    ]
    if why:
        raise CredentialsError(
            f"store {path}: there is no store yet, and whether cluster {spec.cluster} has keys "
            f"already cannot be told: {_some(why, '; ')}; wanted: every machine in the run, and "
            f"all of it readable; or {WANTED}"
        )


def _refuse_running(spec: Spec, path: str) -> None:
    """Refuse new keys for a cluster of which something runs, or may run."""
    running = sorted(name for each in spec.machines for name in each.running)
    if running:
        raise CredentialsError(
            f"store {path}: found machines of cluster {spec.cluster} with {len(running)} "
            f"containers that run ({_some(running)}); wanted: the cluster stopped before it gets "
            "new keys and passwords (make down)"
        )
    absent = [each.name for each in spec.machines if not each.asked]
    if absent:
        raise CredentialsError(
            f"store {path}: found {len(absent)} machines that were not asked ({_some(absent)}); "
            "wanted: every machine of the inventory in a run that gives the cluster new keys; take "
            "one that is lost out of the inventory"
        )


def _foreign(spec: Spec, path: str, held: Content | None) -> str:
    """What was found, as the begin of a sentence."""
    store = "there is no store yet" if held is None else "none of them in the store"
    return f"store {path}: found machines of cluster {spec.cluster} that trust other CAs, {store}"


def _some(things: Iterable[str], between: str = ", ") -> str:
    """The first of them."""
    found = list(things)
    return between.join(found[:NAMED]) + ("…" if len(found) > NAMED else "")


def _roots(content: Content | None) -> set[str]:
    """Fingerprints of what members trust with this content, and of the CAs that it holds."""
    if content is None:
        return set()
    return {fingerprint(root) for root in content.roots} | {
        each.fingerprint for each in content.authorities
    }
