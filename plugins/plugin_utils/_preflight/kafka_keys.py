# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Keys of brokers and topics that a version of Kafka has; recorded by scripts/record-kafka-keys."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from ...module_utils._common.suggestions import did_you_mean
from .._images.image_checks import VERSIONS_FILE, read_mapping
from .._images.images import repository_root

FOLDER = Path(__file__).resolve().parent / "known_keys"
PROPERTIES, EXTRA = "kafka_broker_properties", "kafka_broker_extra_keys"
# Documented prefixes of keys that Kafka passes to a class that the site chooses.
CLASS_PREFIXES = ("config.providers.", "rsm.config.", "rlmm.config.")
_OF_A_LISTENER = re.compile(r"listener\.name\.[^.]+\.(.+)")


@dataclass(frozen=True)
class KafkaKeys:
    """``release`` is such as 3.9; ``topics`` has for each topic key the keys of its default."""

    release: str
    brokers: frozenset[str]
    topics: Mapping[str, tuple[str, ...]]

    def has_broker_key(self, key: str) -> bool:
        """Whether a broker reads ``key``, for itself or for one of its listeners."""
        if key in self.brokers or key.startswith(CLASS_PREFIXES):
            return True
        match = _OF_A_LISTENER.fullmatch(key)
        # listener.name.LISTENER.KEY, or listener.name.LISTENER.SASL_MECHANISM.KEY
        return match is not None and not self.brokers.isdisjoint(
            (match[1], match[1].partition(".")[2])
        )


def recorded_releases() -> list[str]:
    """Releases of Kafka whose keys are known, such as 3.9."""
    return sorted(path.stem for path in FOLDER.glob("*.yml"))


@cache
def _collection_version() -> str:
    return str(read_mapping(repository_root(), VERSIONS_FILE)["kafka"])


def declared_release(versions: Mapping[str, Any]) -> str:
    """Release of Kafka, such as 3.9; ``versions`` are those of the site."""
    version = str(versions.get("kafka", _collection_version()))
    return ".".join(version.split(".")[:2])


@cache
def read_keys(release: str) -> KafkaKeys | None:
    """Return the keys of a release such as 3.9; None if they are not recorded."""
    if release not in recorded_releases():
        return None
    text = (FOLDER / f"{release}.yml").read_text(encoding="utf-8")
    found = yaml.load(text, Loader=yaml.CSafeLoader)
    brokers = frozenset(found["broker"]).union(found["internal"], found["class"])
    return KafkaKeys(release, brokers, {key: tuple(own) for key, own in found["topic"].items()})


def broker_key_fault(key: str, keys: KafkaKeys, extra: Collection[str]) -> tuple[str, str] | None:
    """Return what is wrong with a broker's key and what is allowed; None for a valid key.

    ``extra`` are other allowed names, or prefixes that end with ``*``.
    """
    if keys.has_broker_key(key) or any(_matches(key, each) for each in extra):
        return None
    if key in keys.topics:
        of_brokers = keys.topics[key][:1]
        return (
            "a key of topics, which brokers ignore",
            f"{of_brokers[0]}, the key of brokers"
            if of_brokers
            else "this key in config of a topic (kafka_content_topics)",
        )
    inner = _OF_A_LISTENER.fullmatch(key)
    near = did_you_mean(inner[1] if inner else key, keys.brokers)
    if near and inner:
        near = key.removesuffix(inner[1]) + near
    other = f"a key of Kafka, or for a plugin's key an entry in {EXTRA}"
    return (
        f"a key that Kafka {keys.release} does not have, and ignores",
        f"{near} (did you mean that?), or {other}" if near else other,
    )


def topic_key_fault(key: str, keys: KafkaKeys) -> tuple[str, str] | None:
    """Return what is wrong with a topic's key and what is allowed; None for a valid key."""
    if key in keys.topics:
        return None
    for of_topics, of_brokers in keys.topics.items():
        if key in of_brokers:
            return "a key of brokers", f"{of_topics}, the key of topics"
    if keys.has_broker_key(key):
        return "a key of brokers, which topics do not have", f"this key in {PROPERTIES}"
    near = did_you_mean(key, keys.topics)
    return (
        f"a key that topics of Kafka {keys.release} do not have",
        f"{near} (did you mean that?)" if near else f"one of {', '.join(sorted(keys.topics))}",
    )


def _matches(key: str, allowed: str) -> bool:
    return key.startswith(allowed[:-1]) if allowed.endswith("*") else key == allowed
