# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Secrets that are older than the release that ended the last exposure of secrets.

The age is a generation, not a date: a site exposes new secrets until it runs that release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from .pki.pem import principal_subject
from .store_document import Content

# A release that ends an exposure increases this number; older secrets must be rotated.
# 1: the node exporter could read files of all services, and each pipeline could read the passwords
# of all pipelines.
CURRENT = 1


def mark_generations(before: Content | None, after: Content) -> Content:
    """Return ``after`` with the generation of each secret; new secrets have the current one."""
    old_secrets = dict(_secrets(before)) if before else {}
    kept = before.generations if before else {}
    found = {
        name: kept.get(name, 0) if old_secrets.get(name) == value else CURRENT
        for name, value in _secrets(after)
    }
    # Generation 0 is left out, so that an unchanged old store keeps its text.
    return replace(after, generations={name: made for name, made in found.items() if made})


def exposed_names(content: Content) -> list[str]:
    """Names of secrets of an older generation; a certificate has the age of its key."""
    names: Mapping[str, str] = {
        f"ca {each.fingerprint}": f"CA {principal_subject(each.certificate)}"
        for each in content.authorities
    }
    return [
        names.get(name, name)
        for name, _ in _secrets(content)
        if content.generations.get(name, 0) < CURRENT
    ]


def _secrets(content: Content) -> Iterator[tuple[str, str]]:
    """Yield name and value of each secret."""
    for authority in content.authorities:
        yield f"ca {authority.fingerprint}", authority.fingerprint
    for name, pair in sorted(content.certificates.items()):
        yield f"certificate {name}", pair.keystore()
    for name, password in sorted(content.passwords.items()):
        yield f"password {name}", password.value
