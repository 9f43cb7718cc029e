# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Keys of brokers and topics that a version of Kafka has; recorded by scripts/record-kafka-keys."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from ...module_utils._common.suggestions import did_you_mean
from .._images.image_checks import VERSIONS_FILE, read_mapping
from .._images.images import repository_root
from .._operations import upgrade

FOLDER = Path(__file__).resolve().parent / "known_keys"
PROPERTIES, EXTRA = "kafka_broker_properties", "kafka_broker_extra_keys"
# Names and prefixes of keys that Kafka passes to a class that the site chooses.
CLASSES = "classes"
_OF_A_LISTENER = re.compile(r"listener\.name\.[^.]+\.(.+)")
# Keys whose values are names of classes, and packages of Kafka's own classes.
_NAMES_CLASSES = re.compile(r".*\.(class|class\.name|reporters)|security\.providers")
_OWN_PACKAGES = ("org.apache.kafka.", "kafka.")
# Similarity of a typo to a key. Plugins' keys often begin as a key of Kafka: 0.8 and less.
_TYPO = 0.9


@dataclass(frozen=True)
class KeyFault:
    """What is wrong with a key, and what is allowed; not ``certain``: a plugin may read it."""

    found: str
    allowed: str
    certain: bool = True


@dataclass(frozen=True)
class KafkaKeys:
    """``release`` is such as 3.9; ``topics`` has for each topic key the keys of its default.

    ``prefixes`` are those of keys for classes; values of the keys ``named_by`` are prefixes, too.
    """

    release: str
    brokers: frozenset[str]
    topics: Mapping[str, tuple[str, ...]]
    prefixes: tuple[str, ...] = ()
    named_by: tuple[str, ...] = ()

    def with_prefixes_in(self, declared: Mapping[str, Any]) -> KafkaKeys:
        """Return these keys with the prefixes that a broker's properties declare."""
        own = (str(declared[key]) for key in self.named_by if declared.get(key))
        return replace(self, prefixes=(*self.prefixes, *own))

    def has_broker_key(self, key: str) -> bool:
        """Whether a broker reads ``key``, for itself or for one of its listeners."""
        if key in self.brokers or key.startswith(self.prefixes):
            return True
        match = _OF_A_LISTENER.fullmatch(key)
        # listener.name.LISTENER.KEY, or listener.name.LISTENER.SASL_MECHANISM.KEY
        return match is not None and not self.brokers.isdisjoint(
            (match[1], match[1].partition(".")[2])
        )


def recorded_releases() -> list[str]:
    """Releases of Kafka whose keys are known, such as 3.9."""
    return sorted(path.stem for path in FOLDER.glob("[0-9]*.yml"))


@cache
def _collection_version() -> str:
    return str(read_mapping(repository_root(), VERSIONS_FILE)["kafka"])


def declared_release(versions: Mapping[str, Any], image: str = "") -> str:
    """Release of Kafka, such as 3.9; empty if the tag of ``image`` has no version.

    ``versions`` are those of the site, for the collection's own image; ``image`` is another one.
    """
    try:
        version = upgrade.image_version(image) if image else versions.get("kafka")
    except upgrade.VersionError:
        return ""
    return ".".join(str(version or _collection_version()).split(".")[:2])


@cache
def read_keys(release: str) -> KafkaKeys | None:
    """Return the keys of a release such as 3.9; None if they are not recorded."""
    if release not in recorded_releases():
        return None
    found, classes = _read(release), _read(CLASSES)
    return KafkaKeys(
        release,
        frozenset(found["broker"]).union(found["internal"], found["class"], classes["names"]),
        {key: tuple(own) for key, own in found["topic"].items()},
        tuple(classes["prefixes"]),
        tuple(classes["named_by"]),
    )


def _read(name: str) -> Any:
    text = (FOLDER / f"{name}.yml").read_text(encoding="utf-8")
    return yaml.load(text, Loader=yaml.CSafeLoader)


def plugin_classes(declared: Mapping[str, Any]) -> Iterator[str]:
    """Yield the classes in a broker's properties that are not part of Kafka.

    Such a class may read keys of its own, and with it those of other software in the image.
    """
    for key, value in declared.items():
        if _NAMES_CLASSES.fullmatch(key) and value:
            names = value if isinstance(value, list) else str(value).split(",")
            texts = (str(each).strip() for each in names)
            yield from (text for text in texts if text and not text.startswith(_OWN_PACKAGES))


def broker_key_fault(
    key: str, keys: KafkaKeys, extra: Collection[str], plugin: str = ""
) -> KeyFault | None:
    """Return what is wrong with a broker's key; None for a valid key.

    ``extra`` are other allowed names, or prefixes that end with ``*``. ``plugin`` is a class that
    may read keys unknown to Kafka; typos of Kafka's own keys are faults in any case.
    """
    if keys.has_broker_key(key) or any(_matches(key, each) for each in extra):
        return None
    if key in keys.topics:
        of_brokers = keys.topics[key][:1]
        return KeyFault(
            "a key of topics, which brokers ignore",
            f"{of_brokers[0]}, the key of brokers"
            if of_brokers
            else "this key in config of a topic (kafka_content_topics)",
        )
    inner = _OF_A_LISTENER.fullmatch(key)
    name = inner[1] if inner else key
    if plugin and not did_you_mean(name, keys.brokers, _TYPO):
        return KeyFault(
            f"a key that Kafka {keys.release} does not have; {plugin} may read it",
            f"its name, or its prefix with *, in {EXTRA}",
            certain=False,
        )
    near = did_you_mean(name, keys.brokers)
    if near and inner:
        near = key.removesuffix(inner[1]) + near
    other = f"a key of Kafka, or for a plugin's key an entry in {EXTRA}"
    return KeyFault(
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
