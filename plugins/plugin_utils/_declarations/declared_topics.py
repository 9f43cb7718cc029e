# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of declared topics to options of the module ``topics``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...module_utils._common.properties_file import PropertyError, as_text
from ...module_utils._common.suggestions import list_allowed
from ...module_utils._common.units import UnitError, duration_ms, size_bytes
from .declaration_reader import Reader, format_value
from .inventory_values import whole_number

TOPICS, DEFAULTS = "kafka_content_topics", "kafka_content_defaults"
PATTERN = "kafka_content_name_pattern"
KEYS = (
    *("partitions", "replication", "placement", "retention", "retention_size", "cleanup"),
    *("min_insync", "config"),
)
KAFKA_NAME = re.compile(r"[a-zA-Z0-9._-]{1,249}")
POLICIES = ("delete", "compact")
MIN_ISR = "min.insync.replicas"
CLEANUP = "cleanup.policy"
COUNT = "a whole number from 1"


def parse_count(value: Any) -> int:
    """A whole number from 1; raises UnitError."""
    found = whole_number(value)
    if found is None or found < 1:
        raise UnitError(f"{value!r} is not a whole number from 1")
    return found


def parse_policies(value: Any) -> str:
    """Value of cleanup.policy for delete, compact or both; raises UnitError."""
    parts = value if isinstance(value, (list, tuple)) else str(value).split(",")
    names = [str(part).strip() for part in parts]
    if not names or not set(names) <= set(POLICIES):
        raise UnitError(f"{value!r} is not delete, compact or both")
    return ",".join(sorted(set(names)))


# Keys of declarations with Kafka's key and the function that reads the value.
READERS = {
    "retention": ("retention.ms", duration_ms),
    "retention_size": ("retention.bytes", size_bytes),
    "cleanup": (CLEANUP, parse_policies),
    "min_insync": (MIN_ISR, parse_count),
}
# Their allowed values, for messages.
ALLOWED = {
    "retention": "a duration such as 7d or 36h, or -1 for unlimited",
    "retention_size": "a size such as 10GB or 512MiB, or -1 for unlimited",
    "cleanup": "delete, compact or both",
    "min_insync": COUNT,
}


def check_name(reader: Reader, where: str, name: str, pattern: str) -> None:
    """Refuse a topic name that Kafka or the site's pattern does not allow."""
    found = f"the name {name!r}"
    if not KAFKA_NAME.fullmatch(name) or name in (".", ".."):
        reader.refuse(where, found, "1 to 249 letters, digits, '.', '_' and '-'")
    elif name.startswith("__"):
        reader.refuse(where, found, "names that are not Kafka's own __*")
    elif pattern and not re.fullmatch(pattern, name):
        reader.refuse(where, found, f"names that match {pattern} ({PATTERN})")


def read_keys(reader: Reader, where: str, declared: Any) -> Mapping[str, Any]:
    """Validate the keys of a declaration and return it."""
    if declared is None:
        return {}
    if not isinstance(declared, Mapping):
        reader.refuse(where, format_value(declared), "a mapping, {} for a topic with all defaults")
        return {}
    for key in sorted(str(key) for key in declared if key not in KEYS):
        allowed = f"{list_allowed(key, KEYS)}; Kafka's keys under config"
        reader.refuse(f"{where}.{key}", "an unknown key", allowed)
    config = declared.get("config")
    if config is not None and not isinstance(config, Mapping):
        reader.refuse(f"{where}.config", format_value(config), "a mapping of Kafka's keys")
        return {**declared, "config": {}}
    check_config(reader, where, config or {})
    return declared


def check_config(reader: Reader, where: str, config: Mapping[str, Any]) -> None:
    """Refuse values of invalid types; preflight and the cluster validate the keys."""
    for key in sorted(config, key=str):
        path = f"{where}.config.{key}"
        try:
            as_text(str(key), config[key] if config[key] is not None else "")
        except PropertyError:
            reader.refuse(
                path, format_value(config[key]), "text, a number, true or false, or a list"
            )


def read_config(reader: Reader, where: str, layer: Mapping[str, Any]) -> dict[str, Any]:
    """Kafka's keys of one declaration, or of the defaults."""
    config = {str(key): value for key, value in (layer.get("config") or {}).items()}
    for key, (kafka_key, read) in READERS.items():
        if key not in layer:
            continue
        if layer[key] is None:
            # Null: the cluster's default instead of the site's.
            config.setdefault(kafka_key, None)
            continue
        try:
            value = read(layer[key])
        except UnitError:
            reader.refuse(f"{where}.{key}", format_value(layer[key]), ALLOWED[key])
            continue
        if kafka_key in config and str(config[kafka_key]) != str(value):
            other = format_value(config[kafka_key])
            found = f"{format_value(layer[key])} and config.{kafka_key} {other}"
            reader.refuse(f"{where}.{key}", found, "one of the two, which are the same key")
        config[kafka_key] = value
    return config


def read_count(
    reader: Reader, where: str, key: str, layers: tuple[Mapping[str, Any], Mapping[str, Any]]
) -> int | None:
    """A number of a topic or of the defaults; None if it is missing or invalid."""
    own, common = layers
    value = own.get(key, common.get(key))
    if value is None:
        return None
    try:
        return parse_count(value)
    except UnitError:
        reader.refuse(f"{where if key in own else DEFAULTS}.{key}", format_value(value), COUNT)
        return None


def read_placement(reader: Reader, where: str, declared: Mapping[str, Any]) -> list[list[int]]:
    """Broker ids of each partition: equally many, no duplicates; empty if invalid."""
    path, allowed = f"{where}.placement", "a list of broker ids for each partition"
    for key in ("partitions", "replication"):
        if declared.get(key) is not None:
            reader.refuse(
                f"{where}.{key}", format_value(declared[key]), "nothing: placement defines it"
            )
    found = []
    for each, brokers in reader.several(path, declared["placement"]):
        ids = brokers if isinstance(brokers, (list, tuple)) else ()
        whole = all(isinstance(broker, int) and not isinstance(broker, bool) for broker in ids)
        if not ids or not whole or min(ids) < 0:
            reader.refuse(each, format_value(brokers), allowed)
        elif len(set(ids)) < len(ids):
            reader.refuse(each, f"{list(ids)}", "each broker once per partition")
        else:
            found.append(list(ids))
    if len({len(brokers) for brokers in found}) > 1:
        reader.refuse(path, "partitions with different numbers of replicas", "one number for all")
        return []
    return found


def read_topic(
    reader: Reader, where: str, declared: Mapping[str, Any], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """Options of one topic; ``defaults`` have been validated before."""
    own = read_config(reader, where, declared)
    spec: dict[str, Any] = {"config": {**read_config(Reader(), DEFAULTS, defaults), **own}}
    for key, name in (("partitions", "partitions"), ("replication", "replication_factor")):
        number = read_count(reader, where, key, (declared, defaults))
        if number is not None:
            spec[name] = number
    if declared.get("placement") is not None:
        placement = read_placement(reader, where, declared)
        if placement:
            spec |= {
                "placement": placement,
                "partitions": len(placement),
                "replication_factor": len(placement[0]),
            }
    min_isr, replicas = spec["config"].get(MIN_ISR), spec.get("replication_factor")
    if str(min_isr or "").isdecimal() and replicas is not None and int(min_isr) > replicas:
        source = str(min_isr) if MIN_ISR in own else f"{min_isr}, from {DEFAULTS}"
        allowed = f"1 to {replicas}, the replication: otherwise no client can write with acks=all"
        reader.refuse(f"{where}.min_insync", source, allowed)
    return spec


def read_topics(
    reader: Reader, declarations: Any, defaults: Any = None, pattern: str = ""
) -> dict[str, dict[str, Any]]:
    """Return options of the module ``topics`` for all topics; faults are added to ``reader``.

    Keys of a topic take precedence over ``defaults``, also if one of them has Kafka's name of the
    key. ``pattern`` is a regular expression that must match the whole name.
    """
    try:
        re.compile(pattern)
    except re.error as error:
        reader.refuse(PATTERN, f"{pattern!r} ({error})", "a regular expression")
        pattern = ""
    common = read_keys(reader, DEFAULTS, defaults)
    read_config(reader, DEFAULTS, common)
    for key in ("partitions", "replication"):
        read_count(reader, DEFAULTS, key, (common, {}))
    specs: dict[str, dict[str, Any]] = {}
    plain: dict[str, str] = {}
    for where, name, value in reader.named(TOPICS, declarations):
        check_name(reader, where, name, pattern)
        declared = read_keys(reader, where, value)
        other = plain.setdefault(name.replace(".", "_"), name)
        if other != name:
            found = f"a name that collides with {other} in Kafka's metrics"
            reader.refuse(where, found, "names that differ in more than '.' and '_'")
        specs[name] = read_topic(reader, where, declared, common)
    return specs


def read_service_topics(
    reader: Reader, declarations: Any, topics: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return options of the topics of the platform's services, without defaults of the site.

    The site must not declare one of these names: ``topics`` are those that it declares.
    """
    specs = read_topics(reader, declarations)
    for name in sorted(specs.keys() & topics.keys()):
        reader.refuse(f"{TOPICS}.{name}", "a topic of the platform", "another name")
    return specs
