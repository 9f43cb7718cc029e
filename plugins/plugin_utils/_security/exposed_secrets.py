# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Which secrets are older than the release that ended the last exposure of secrets.

Counted in releases, not by dates: a site goes on exposing what it makes until it runs the release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from .pki.pem import subject_of
from .store_document import Content

# Raised by a release that ends an exposure: what was made before is to be rotated.
# 1: files of all services on a machine could be read by the node exporter, and passwords of all
# pipelines by each of them.
CURRENT = 1


def marked(before: Content | None, after: Content) -> Content:
    """``after`` with the generation of each secret: the current one of those that are new in it."""
    were = dict(_secrets(before)) if before else {}
    kept = before.generations if before else {}
    found = {
        name: kept.get(name, 0) if were.get(name) == value else CURRENT
        for name, value in _secrets(after)
    }
    # Old ones stay away: a store in which nothing changes stays the same text.
    return replace(after, generations={name: made for name, made in found.items() if made})


def exposed(content: Content) -> list[str]:
    """Secrets of an older generation, by name; a certificate counts by the age of its key."""
    names: Mapping[str, str] = {
        f"ca {each.fingerprint}": f"CA {subject_of(each.certificate)}"
        for each in content.authorities
    }
    return [
        names.get(name, name)
        for name, _ in _secrets(content)
        if content.generations.get(name, 0) < CURRENT
    ]


def _secrets(content: Content) -> Iterator[tuple[str, str]]:
    """Name and value of each secret."""
    for authority in content.authorities:
        yield f"ca {authority.fingerprint}", authority.fingerprint
    for name, pair in sorted(content.certificates.items()):
        yield f"certificate {name}", pair.keystore()
    for name, password in sorted(content.passwords.items()):
        yield f"password {name}", password.value
