# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The CA of an ensemble's quorum, which issues no certificates for clients; no I/O.

A process that a server accepts on its quorum ports can join as an observer, and receives the whole
tree regardless of ACLs. So servers have a second certificate from a separate CA. That CA is a root,
because the platform's CA may not sign further CAs (the generated one has path length 0), or does
not exist (ready-made certificates).

==============  ===================  =====================
stage           server certificate   trusted
==============  ===================  =====================
``platform``    the platform's       the platform's CA
``trusted``     the platform's       both CAs
``shown``       its own CA's         both CAs
``own``         its own CA's         its own CA
==============  ===================  =====================

A new store starts with ``own``. An older ensemble moves there, or back, stage by stage, and each
stage is rolled out to all servers before the next: servers in neighbouring stages trust each other.
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

# Function that issues missing or expiring certificates, from credentials_plan.py, which imports
# this module.
Issued = Callable[[Content, Spec], tuple[Content, tuple[str, ...]]]


def quorum_stage(content: Content) -> str:
    """Return how far the move to the quorum's own CA is; PLATFORM before it begins."""
    return content.quorum.stage if content.quorum else PLATFORM


def advance(
    before: Content | None, content: Content, spec: Spec, now: datetime, issued: Issued
) -> tuple[Quorum | None, tuple[str, ...]]:
    """Return the quorum that the spec requires, and messages about the changes.

    ``before`` is the old store, None for a new one; ``content`` is the platform's new content.
    """
    if not spec.quorum:
        return content.quorum, ()
    stage = _next(before, spec)
    if stage == PLATFORM:
        removed = content.quorum is not None
        return None, ("uses the platform's CA again, its own CA is dropped",) if removed else ()
    own = _quorum_spec(content, spec, stage)
    held = content.quorum.held if content.quorum else Content(spec.cluster)
    advanced = ca_rotation.advance(held, own, None, now)
    held, steps = advanced.content, list(advanced.messages)
    others = () if stage == OWN else content.roots
    roots, messages = ca_rotation.trusted_roots(held, others)
    held, steps = replace(held, roots=roots), [*steps, *messages]
    if stage == TRUSTED:
        held = replace(held, certificates=_platform_certificates(content, own))
    else:
        held, messages = issued(held, own)
        steps += messages
    if before and before.quorum and spec.phase != "replace":
        problems = ca_rotation.blockers(before.quorum.held, held)
        if problems:
            raise CredentialsError(*problems)
    if stage != quorum_stage(content):
        steps.append(f"stage {stage}")
    return Quorum(stage, held), tuple(steps)


def _next(before: Content | None, spec: Spec) -> str:
    """The stage after this run. Raises CredentialsError if a phase is skipped."""
    if before is None:
        return spec.quorum_ca
    at = quorum_stage(before)
    if spec.rotate != "quorum":
        return at
    order = STAGES if spec.quorum_ca == OWN else STAGES[::-1]
    current, target = order.index(at), 1 + PHASES.index(spec.phase)
    if current >= target:
        return at
    if current < target - 1:
        raise CredentialsError(
            f"phase: found {spec.phase}, but the quorum is in stage {at}; allowed: phase "
            f"{PHASES[current]} first, rolled out to every server"
        )
    return order[target]


def _quorum_spec(content: Content, spec: Spec, stage: str) -> Spec:
    """The spec for the quorum's CA, which is always generated and has no passwords."""
    # While servers trust both CAs, the quorum's CA is not rotated. With ready-made certificates the
    # phases have another meaning.
    rotates_ca = stage == OWN and spec.rotate == "ca" and not spec.ca.directory
    rotate = spec.rotate if rotates_ca or spec.rotate == "certificates" else "none"
    return replace(
        spec,
        ca=CaSpec(f"{spec.cluster} ensemble CA"[:58], spec.ca.days),
        certificates=spec.quorum,
        quorum=(),
        passwords=(),
        provided_passwords={},
        rotate=rotate,
        phase=spec.phase if rotate == "ca" else "",
    )


def _platform_certificates(content: Content, spec: Spec) -> dict[str, Pair]:
    """The servers' certificates for clients, under the names of the quorum's certificates."""
    return {
        leaf.name: content.certificates[leaf.name.removesuffix(QUORUM)]
        for leaf in spec.certificates
    }
