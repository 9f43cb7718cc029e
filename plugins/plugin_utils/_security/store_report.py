# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Report of a store: names, dates, fingerprints; no secrets."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from . import ca_rotation, exposed_secrets
from .credentials_model import Spec
from .credentials_plan import Plan, unused_items
from .pki.authority import format_day
from .pki.pem import fingerprint, principal_subject
from .pki.renewal import end_report, read_names
from .quorum_ca import quorum_stage
from .store_document import Content


def report(planned: Plan, spec: Spec, now: datetime) -> dict[str, Any]:
    """The result of the module ``credentials``."""
    content = planned.content
    quorum = content.quorum.held if content.quorum else Content(content.cluster)
    return {
        "steps": list(planned.steps),
        "notes": list(planned.notes),
        "expiry": [
            *(
                {"kind": "certificate", **end_report(name, pair.certificate, now)}
                for name, pair in sorted({**content.certificates, **quorum.certificates}.items())
            ),
            *(
                {"kind": "root", **end_report(principal_subject(root), root, now)}
                for root in dict.fromkeys([*content.roots, *quorum.roots])
            ),
        ],
        "quorum": quorum_stage(content),
        "ca": {
            "issuer": content.issuer,
            "fingerprints": [fingerprint(root) for root in content.roots],
            "rotation": ca_rotation.state(content),
        },
        "unused": unused_items(content, spec),
        "exposed": exposed_secrets.exposed_names(content),
    }


def lines(content: Content | None) -> str:
    """Return the content as lines for a diff, without random values, which differ per run."""
    if content is None:
        return ""
    own = [f"quorum, stage {content.quorum.stage}"] if content.quorum else []
    own += lines(content.quorum.held).splitlines() if content.quorum else []
    found = [
        f"CA {principal_subject(each.certificate)}: valid until "
        f"{format_day(each.certificate.not_valid_after_utc)}"
        f"{', issues' if each.fingerprint == content.issuer else ''}"
        for each in content.authorities
    ]
    found += [f"trusted root {principal_subject(root)}" for root in content.roots]
    for name, pair in sorted(content.certificates.items()):
        has, end = read_names(pair.certificate), format_day(pair.certificate.not_valid_after_utc)
        hosts = " ".join((*has.dns, *has.ips)) or "no host"
        usages = "any usage" if has.usages is None else " ".join(has.usages)
        subject = principal_subject(pair.certificate)
        found.append(f"certificate {name}: {subject}, {hosts}, {usages}, valid until {end}")
    found += [
        f"password {name}: since {each.since}" for name, each in sorted(content.passwords.items())
    ]
    return "".join(f"{line}\n" for line in [*found, *own])
