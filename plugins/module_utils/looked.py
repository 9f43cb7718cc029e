# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Which hosts a step has nothing to do on, by the look that preflight took at every machine.

A play on no host costs no task, and a host that answered once in a run is not asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

# Variables of a host by its name.
Hosts = Mapping[str, Mapping[str, Any]]


def without_engine(hosts: Hosts) -> list[str]:
    """Hosts that were not looked at, whose engine did not answer, or that lack its library."""
    return [name for name, found in hosts.items() if not _engine(found).get("library")]


def without_images(hosts: Hosts, references: Callable[[Mapping[str, Any]], list[str]]) -> list[str]:
    """Hosts that were not looked at, or whose engine lacks one of the images that they want."""
    return [
        name
        for name, found in hosts.items()
        if not set(references(found)) <= set(_engine(found).get("images", ()))
    ]


def _engine(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """What machine_info said of the engine; nothing before it was asked."""
    facts = (found.get("preflight_machine") or {}).get("facts") or {}
    return facts.get("engine") or {}
