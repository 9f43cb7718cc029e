# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The CA of the quorum of an ensemble, which no client has a certificate of; no I/O.

A process that a server accepts on its quorum ports may join as an observer, and receives the whole
tree, whatever the ACLs. So servers have a second certificate, of a CA of their own: a root, because
the platform's CA may be one that signs no further CA (ours has a path length of 0), or none at all
(ready-made certificates).

==============  ===================  =====================
stage           a server shows       and trusts
==============  ===================  =====================
``platform``    the platform's       the platform's CA
``trusted``     the platform's       both CAs
``shown``       its own CA's         both CAs
``own``         its own CA's         its own CA
==============  ===================  =====================

A new store begins with ``own``. An ensemble of before moves there, and back, one stage after the
other, each rolled out to all servers before the next: servers of two neighbours trust each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from . import ca_rotation
from .certificate_names import QUORUM
from .credentials_model import CaSpec, CredentialsError, Spec
from .pki.leaf import Pair
from .store_document import Content, Quorum
from .store_items import PLATFORM

TRUSTED, SHOWN, OWN = "trusted", "shown", "own"
STAGES = (PLATFORM, TRUSTED, SHOWN, OWN)
PHASES = ("trust", "issue", "drop")

# Issues what is missing or due: part of credentials_plan.py, which imports this module.
Issued = Callable[[Content, Spec], tuple[Content, tuple[str, ...]]]


def stage_of(content: Content) -> str:
    """The stage of a store."""
    return content.quorum.stage if content.quorum else PLATFORM


def advance(
    before: Content | None, content: Content, spec: Spec, now: datetime, issued: Issued
) -> tuple[Quorum | None, tuple[str, ...]]:
    """The quorum as the spec wants it, and what changes in messages.

    ``before`` is the store as it was, None for a new one; ``content`` what the platform is to have.
    """
    if not spec.quorum:
        return content.quorum, ()
    stage = _next(before, spec)
    if stage == PLATFORM:
        gone = content.quorum is not None
        return None, ("trusted by the platform's CA again, its own is dropped",) if gone else ()
    mine = _spec_of(content, spec, stage)
    held = content.quorum.held if content.quorum else Content(spec.cluster)
    advanced = ca_rotation.advance(held, mine, None, now)
    held, steps = advanced.content, list(advanced.said)
    others = () if stage == OWN else content.roots
    roots, said = ca_rotation.roots_of(held, others)
    held, steps = replace(held, roots=roots), [*steps, *said]
    if stage == TRUSTED:
        held = replace(held, certificates=_of_platform(content, mine))
    else:
        held, said = issued(held, mine)
        steps += said
    if before and before.quorum and spec.phase != "replace":
        problems = ca_rotation.blockers(before.quorum.held, held)
        if problems:
            raise CredentialsError(*problems)
    if stage != stage_of(content):
        steps.append(f"stage {stage}")
    return Quorum(stage, held), tuple(steps)


def _next(before: Content | None, spec: Spec) -> str:
    """The stage after this run. Raises CredentialsError where a phase is left out."""
    if before is None:
        return spec.quorum_ca
    at = stage_of(before)
    if spec.rotate != "quorum":
        return at
    way = STAGES if spec.quorum_ca == OWN else STAGES[::-1]
    place, target = way.index(at), 1 + PHASES.index(spec.phase)
    if place >= target:
        return at
    if place < target - 1:
        raise CredentialsError(
            f"phase: found {spec.phase}, and the quorum in stage {at}; wanted: phase "
            f"{PHASES[place]} first, rolled out to every server"
        )
    return way[target]


def _spec_of(content: Content, spec: Spec, stage: str) -> Spec:
    """The same spec for the quorum's own CA: it is always made here, and has no passwords."""
    # While servers trust both, the CA stays; ready-made certificates have phases of other meaning.
    along = stage == OWN and spec.rotate == "ca" and not spec.ca.directory
    rotate = spec.rotate if along or spec.rotate == "certificates" else "none"
    return replace(
        spec,
        ca=CaSpec(f"{spec.cluster} ensemble CA"[:58], spec.ca.days),
        certificates=spec.quorum,
        quorum=(),
        passwords=(),
        given_passwords={},
        rotate=rotate,
        phase=spec.phase if rotate == "ca" else "",
    )


def _of_platform(content: Content, spec: Spec) -> dict[str, Pair]:
    """What servers show to clients, under the names of the quorum."""
    return {
        leaf.name: content.certificates[leaf.name.removesuffix(QUORUM)]
        for leaf in spec.certificates
    }
