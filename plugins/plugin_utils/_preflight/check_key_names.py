# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Names of declared keys of brokers and topics: whether the declared version of Kafka has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._declarations.declaration_reader import format_value
from .._declarations.declared_topics import DEFAULTS, TOPICS
from .._declarations.problem import Problem, advice, note
from .._site.kafka import KAFKA
from .._site.services import entries
from .._site.site_model import Site
from .broker_keys import declared_keys
from .kafka_keys import (
    EXTRA,
    KafkaKeys,
    broker_key_fault,
    declared_release,
    plugin_classes,
    read_keys,
    recorded_releases,
    topic_key_fault,
)

VERSIONS, IMAGE = "image_versions", "kafka_broker_image"


def broker_key_names(site: Site) -> Iterator[Problem]:
    """Brokers have no key that the declared version of Kafka ignores."""
    seen: set[tuple[str, str]] = set()
    unknown_releases: set[str] = set()
    for host in site.members(KAFKA.group):
        extra = site.value(host, EXTRA, [])
        if not isinstance(extra, list) or not all(isinstance(each, str) for each in extra):
            yield Problem(
                host, EXTRA, format_value(extra), "a list of names, or of prefixes with *"
            )
            continue
        found = declared_keys(site, host)
        release, keys = _keys(site, host)
        if keys is None:
            if found and release not in unknown_releases:
                unknown_releases.add(release)
                yield note(host, IMAGE if _own_image(site, host) else VERSIONS, _unknown(release))
            continue
        values = {key: value for key, (_, value) in found.items()}
        keys = keys.with_prefixes_in(values)
        plugin = next(plugin_classes(values), "")
        for key, (variable, _) in found.items():
            fault = broker_key_fault(key, keys, extra, plugin)
            if fault and (variable, key) not in seen:
                seen.add((variable, key))
                report = Problem if fault.certain else advice
                yield report(host, f"{variable}[{key}]", fault.found, fault.allowed)


def topic_key_names(site: Site) -> Iterator[Problem]:
    """Topics have no key that the declared version of Kafka refuses."""
    for host in site.members(KAFKA.group)[:1]:
        _, keys = _keys(site, host)
        if keys is None:
            # The check of brokers' keys has a note.
            return
        for where, key in _topic_keys(site, host):
            if fault := topic_key_fault(key, keys):
                yield Problem(host, f"{where}.config.{key}", *fault)


def _topic_keys(site: Site, host: str) -> Iterator[tuple[str, str]]:
    """Yield place and name of each of Kafka's keys in topics and their defaults."""
    declared: dict[str, Any] = {DEFAULTS: entries(site, host, DEFAULTS)}
    topics = entries(site, host, TOPICS).items()
    declared |= {f"{TOPICS}.{name}": entry for name, entry in topics}
    for where, entry in declared.items():
        config = entry.get("config") if isinstance(entry, Mapping) else None
        if isinstance(config, Mapping):
            yield from ((where, str(key)) for key in config)


def _keys(site: Site, host: str) -> tuple[str, KafkaKeys | None]:
    """Declared release of Kafka, such as 3.9, and its keys if they are known."""
    release = declared_release(entries(site, host, VERSIONS), _own_image(site, host))
    return release, read_keys(release)


def _own_image(site: Site, host: str) -> str:
    """Image that the site chooses; empty for the collection's own, the default of the role."""
    return str(site.value(host, IMAGE, "")) if IMAGE in site.own_names(host) else ""


def _unknown(release: str) -> str:
    known = ", ".join(recorded_releases())
    of = f"Kafka {release}" if release else "Kafka in an image whose tag has no version"
    return f"names of keys of {of}; known are those of {known}"
