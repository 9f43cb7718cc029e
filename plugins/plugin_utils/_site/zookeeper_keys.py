# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Keys of zoo.cfg that a version of ZooKeeper has; recorded by scripts/record-zookeeper-keys."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import yaml

from ...module_utils._common.suggestions import did_you_mean
from .._declarations.problem import Problem, note
from .._images.image_checks import VERSIONS_FILE, read_mapping
from .._images.images import repository_root
from .services import entries
from .site_model import Site
from .zookeeper import GROUP

FOLDER = Path(__file__).resolve().parents[1] / "_preflight/known_keys"
PROPERTIES, IMAGE = "zookeeper_properties", "zookeeper_image"
# ZooKeeper sets a system property for any other key, which a plugin may read: only a key that is
# so similar to one of ZooKeeper's is a typo.
TYPO = 0.9


@cache
def read_keys(release: str) -> frozenset[str]:
    """Keys of a release such as 3.9, and prefixes that end with a dot; empty if not recorded."""
    path = FOLDER / f"zookeeper-{release}.yml"
    if not path.is_file():
        return frozenset()
    return frozenset(yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))


def typo_of(key: str, known: frozenset[str]) -> str | None:
    """Return the key that was probably meant; None for a key of ZooKeeper or of a plugin."""
    prefixes = tuple(each for each in known if each.endswith("."))
    return None if key in known or key.startswith(prefixes) else did_you_mean(key, known, TYPO)


def metadata_key_names(site: Site) -> Iterator[Problem]:
    """Properties of ZooKeeper servers contain no typos of its keys."""
    seen: set[str] = set()
    for host in site.members(GROUP):
        declared = entries(site, host, PROPERTIES)
        # The version of a site's own image is not known.
        if IMAGE in site.own_names(host) or not declared:
            continue
        release = ".".join(_version(site, host).split(".")[:2])
        known = read_keys(release)
        if not known and release not in seen:
            seen.add(release)
            yield note(host, PROPERTIES, f"keys of ZooKeeper {release}, which are not recorded")
        for key in map(str, declared):
            near = typo_of(key, known)
            if near and key not in seen:
                seen.add(key)
                yield Problem(
                    host,
                    f"{PROPERTIES}[{key}]",
                    f"a key that ZooKeeper {release} does not have, and ignores",
                    f"{near} (did you mean that?)",
                )


def _version(site: Site, host: str) -> str:
    """Version of the collection's own image."""
    declared = entries(site, host, "image_versions").get("zookeeper")
    return str(declared or read_mapping(repository_root(), VERSIONS_FILE)["zookeeper"])
