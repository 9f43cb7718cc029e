# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Quotas as an inventory declares them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...module_utils._common.units import UnitError, size_bytes
from ...module_utils._content.quotas import DEFAULT, Entity
from .declaration_reader import Reader, format_value
from .roles import read_address

QUOTAS = "kafka_content_quotas"
ANY_NAME = re.compile(r"[^\s*][^\n*]{0,254}|\*")


def parse_rate(value: Any) -> int:
    """Bytes per second: ``10MB``, ``10MB/s`` or a number; raises UnitError."""
    text = value.strip() if isinstance(value, str) else value
    return size_bytes(text[:-2].strip() if isinstance(text, str) and text.endswith("/s") else text)


def parse_number(value: Any) -> float:
    """A number, also with a decimal point; raises UnitError."""
    text = str(value).strip().removesuffix("%")
    if isinstance(value, bool) or not re.fullmatch(r"\d{1,9}(\.\d{1,6})?", text):
        raise UnitError(f"{value!r} is not a number")
    return float(text)


def parse_whole(value: Any) -> int:
    """A whole number; raises UnitError."""
    found = parse_number(value)
    if found != int(found):
        raise UnitError(f"{value!r} is not a whole number")
    return int(found)


Quotas = dict[Entity, dict[str, float]]

# Keys of declarations: Kafka's key, the function that reads the value, and the allowed values.
PER_CLIENT = {
    "producer": ("producer_byte_rate", parse_rate, "bytes per second above 0, such as 10MB"),
    "consumer": ("consumer_byte_rate", parse_rate, "bytes per second above 0, such as 10MB"),
    "request_percentage": (
        "request_percentage",
        parse_number,
        "a number above 0; 100 is one thread of a broker",
    ),
    "controller_mutations": (
        "controller_mutation_rate",
        parse_number,
        "a number above 0: partitions created or deleted per second",
    ),
}
PER_ADDRESS = {
    "connections": (
        "connection_creation_rate",
        parse_whole,
        "a whole number above 0: connections per second",
    )
}


def read_quotas(reader: Reader, items: Any, into: Quotas) -> None:
    """Read quotas, each for a user, a client id, both, or an address."""
    for where, item in reader.listed(QUOTAS, items):
        entity, keys = read_entity(reader, where, item, ())
        if entity is None:
            continue
        values = read_values(reader, where, item, keys, ("user", "client", "ip"))
        note_quota(reader, where, entity, values, into)


def read_entity(
    reader: Reader, where: str, item: Any, other_keys: tuple[str, ...]
) -> tuple[Entity | None, Mapping[str, Any]]:
    """Read the entity of a quota; return it with the keys that the quota may have."""
    if not isinstance(item, Mapping):
        reader.refuse(where, format_value(item), "a mapping with user, client or ip")
        return None, {}
    names = {}
    for key in ("user", "client", "ip"):
        if item.get(key) is None:
            continue
        allowed = "a name, or '*' for all without their own quota"
        path = f"{where}.{key}"
        if str(item[key]).strip("<>").lower() == "default":
            reader.refuse(
                path, format_value(item[key]), f"{allowed}, which Kafka's tools call default"
            )
            return None, {}
        if key == "ip" and item[key] != DEFAULT:
            names[key] = read_address(reader, path, item[key])
        else:
            name = reader.text(path, item[key], ANY_NAME, allowed)
            if name is None:
                return None, {}
            names[key] = name
    if not names or ("ip" in names and len(names) > 1):
        found = " and ".join(names) if names else "neither user nor client nor ip"
        reader.refuse(where, found, "user, client or both, or only ip")
        return None, {}
    keys: Mapping[str, Any] = PER_ADDRESS if "ip" in names else PER_CLIENT
    known = ("user", "client", "ip", *keys, *other_keys)
    reader.mapping(where, item, known)
    return Entity(**names), keys


def read_values(
    reader: Reader, where: str, item: Any, keys: Mapping[str, Any], names: tuple[str, ...]
) -> dict[str, float]:
    """Read values of a quota, by Kafka's keys."""
    if not isinstance(item, Mapping):
        reader.refuse(where, format_value(item), f"a mapping with keys of {', '.join(keys)}")
        return {}
    given = {key: item[key] for key in keys if item.get(key) is not None}
    if not names:
        given = reader.mapping(where, item, keys)
    if not given and item.keys() <= {*keys, *names}:
        reader.refuse(where, "no value", f"at least one of {', '.join(keys)}")
    values = {}
    for key, value in given.items():
        kafka_key, read, allowed = keys[key]
        found = reader.measured(f"{where}.{key}", value, read, allowed)
        if found is not None:
            values[kafka_key] = float(found)
    return values


def note_quota(
    reader: Reader,
    where: str,
    entity: Entity,
    values: dict[str, float],
    into: Quotas,
) -> None:
    """Add a quota; a second quota of one entity is a fault."""
    if entity in into:
        reader.refuse(where, f"a second quota of {entity}", "one for each, with all its keys")
    into[entity] = values
