# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Topics as declared, and what brokers give to topics that say nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils._common.suggestions import one_of
from ...module_utils._common.units import UnitError
from .._declarations.declaration_reader import shown
from .._declarations.declared_topics import (
    ALLOWED,
    KAFKA_NAME,
    KEYS,
    READERS,
    WishError,
    topic_wishes,
)
from .._declarations.inventory_values import whole_number
from .._declarations.problem import Problem
from .._site.service_catalogue import KAFKA
from .._site.site_model import Site
from .broker_keys import ALL, declared

TOPICS = "kafka_content_topics"
DEFAULTS = "kafka_content_defaults"
PATTERN = "kafka_content_name_pattern"

# Broker keys that hold a number of copies, and those that hold how many must acknowledge.
_COPIES = {
    "default.replication.factor": "min.insync.replicas",
    "offsets.topic.replication.factor": "min.insync.replicas",
    "transaction.state.log.replication.factor": "transaction.state.log.min.isr",
}


def _declared(site: Site) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """First broker (its play declares topics), topics and defaults; none where malformed."""
    for host in site.members(KAFKA.group)[:1]:
        topics, defaults = site.value(host, TOPICS, {}), site.value(host, DEFAULTS, {})
        if isinstance(topics, Mapping) and isinstance(defaults, Mapping):
            yield host, topics, defaults


def _entries(topics: Mapping[str, Any], defaults: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Where each declaration stands, and what stands there; the defaults are one of them."""
    return [(DEFAULTS, defaults), *((f"{TOPICS}.{name}", at) for name, at in topics.items())]


def topic_shape(site: Site) -> Iterator[Problem]:
    """Declarations are dicts, with keys that we know."""
    for host in site.members(KAFKA.group)[:1]:
        for variable in (TOPICS, DEFAULTS):
            found = site.value(host, variable, {})
            if not isinstance(found, Mapping):
                yield Problem(host, variable, shown(found), "a dict")
    for host, topics, defaults in _declared(site):
        for where, entry in _entries(topics, defaults):
            if entry is not None and not isinstance(entry, Mapping):
                yield Problem(host, where, repr(entry), "a dict, {} for a topic with all defaults")
                continue
            for key in sorted(set(entry or {}) - set(KEYS)):
                yield Problem(
                    host,
                    f"{where}.{key}",
                    "an unknown key",
                    f"{one_of(key, KEYS)}; keys of Kafka's own stand under config",
                )


def topic_names(site: Site) -> Iterator[Problem]:
    """Names that Kafka and the site's own rule take, and that do not collide in metrics."""
    for host, topics, _ in _declared(site):
        pattern = str(site.value(host, PATTERN, "")) or ".*"
        try:
            rule = re.compile(pattern)
        except re.error as error:
            yield Problem(host, PATTERN, f"{pattern!r} ({error})", "a regular expression")
            rule = re.compile(".*")
        flat: dict[str, str] = {}
        for name in map(str, topics):
            where = f"{TOPICS}.{name}"
            if not KAFKA_NAME.fullmatch(name) or name in {".", ".."}:
                yield Problem(
                    host, where, f"the name {name!r}", "1 to 249 letters, digits, '.', '_' and '-'"
                )
            elif name.startswith("__"):
                yield Problem(
                    host, where, f"the name {name!r}", "names that are not Kafka's own __*"
                )
            elif not rule.fullmatch(name):
                yield Problem(
                    host,
                    where,
                    f"the name {name!r}",
                    f"names that match {pattern} ({PATTERN})",
                )
            other = flat.setdefault(name.replace(".", "_"), name)
            if other != name:
                yield Problem(
                    host,
                    where,
                    f"a name that collides with {other} in Kafka's metrics",
                    "names that differ in more than '.' and '_'",
                )


def topic_values(site: Site) -> Iterator[Problem]:
    """Partitions, retention and clean-up in words that are understood."""
    for host, topics, defaults in _declared(site):
        for where, entry in _entries(topics, defaults):
            if not isinstance(entry, Mapping):
                continue
            for key in ("partitions", "replication"):
                number = whole_number(entry.get(key, 1))
                if number is None or number < 1:
                    yield Problem(host, f"{where}.{key}", repr(entry[key]), "a whole number from 1")
            for key, (_, read) in READERS.items():
                try:
                    if entry.get(key) is not None:
                        read(entry[key])
                except UnitError:
                    yield Problem(host, f"{where}.{key}", repr(entry[key]), ALLOWED[key])
            if not isinstance(entry.get("config") or {}, Mapping):
                yield Problem(host, f"{where}.config", repr(entry["config"]), "a dict")


def topic_copies(site: Site) -> Iterator[Problem]:
    """No more copies than brokers, and no more acknowledgements than copies."""
    brokers = len(site.members(KAFKA.group))
    for host, topics, defaults in _declared(site):
        for name, entry in topics.items():
            own = entry if isinstance(entry, Mapping) else {}
            wish = {**defaults, **own}
            where = f"{TOPICS}.{name}"
            copies = whole_number(wish.get("replication"))
            if copies is not None and copies > brokers:
                yield Problem(
                    host,
                    f"{where}.replication",
                    _told(copies, "replication", own, DEFAULTS),
                    f"1 to {brokers}, the number of brokers",
                )
            config = wish.get("config")
            acknowledged = wish.get("min_insync")
            if isinstance(config, Mapping):
                acknowledged = config.get("min.insync.replicas", acknowledged)
            least = whole_number(acknowledged)
            if copies is not None and least is not None and least > copies:
                yield Problem(
                    host,
                    f"{where}.min_insync",
                    _told(least, "min_insync", own, DEFAULTS),
                    f"1 to {copies}, the replication of the topic",
                )


def topic_rest(site: Site) -> Iterator[Problem]:
    """Whatever else the role would refuse, once the checks above are content."""
    if any(any(each(site)) for each in (topic_shape, topic_names, topic_values, topic_copies)):
        return
    for host, topics, defaults in _declared(site):
        try:
            topic_wishes(topics, defaults, str(site.value(host, PATTERN, "")))
        except WishError as error:
            for fault in error.faults:
                yield Problem(host, fault.where, fault.found, fault.allowed)


def _told(number: int, key: str, own: Mapping[str, Any], elsewhere: str) -> str:
    return str(number) if key in own else f"{number}, from {elsewhere}"


def broker_copies(site: Site) -> Iterator[Problem]:
    """The same for the topics that brokers make themselves."""
    hosts = site.members(KAFKA.group)
    brokers = len(hosts)
    # What the role gives to a cluster of this size.
    ours = {
        "min.insync.replicas": min(2, brokers),
        "transaction.state.log.min.isr": min(2, brokers),
    }
    seen = set()
    for host in hosts:
        said = declared(site, host)
        own = {key: value for key, (_, value) in said.items()}
        for copies_key, least_key in _COPIES.items():
            copies = whole_number(own.get(copies_key, min(3, brokers)))
            least = whole_number(own.get(least_key, ours[least_key]))
            for key, number, highest, what in (
                (copies_key, copies, brokers, "the number of brokers"),
                (least_key, least, copies, copies_key),
            ):
                if key in own and (number is None or number < 1):
                    found, allowed = repr(own[key]), "a whole number from 1"
                elif number is not None and highest is not None and number > highest:
                    found = f"{number}" if key in own else f"{number}, which role kafka_broker sets"
                    allowed = f"1 to {highest}, {what}"
                else:
                    continue
                # All brokers usually have the same properties: said once.
                if (key, found) not in seen:
                    seen.add((key, found))
                    where = said[key][0] if key in said else ALL
                    yield Problem(host, f"{where}[{key}]", found, allowed)
