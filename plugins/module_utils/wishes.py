# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Topics in the words of an inventory, turned into the words of the module ``topics``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .units import UnitError, duration_ms, size_bytes

KEYS = (
    "partitions",
    "replication",
    "retention",
    "retention_size",
    "cleanup",
    "min_insync",
    "config",
)
KAFKA_NAME = re.compile(r"[a-zA-Z0-9._-]{1,249}")
POLICIES = ("delete", "compact")
MIN_ISR = "min.insync.replicas"
CLEANUP = "cleanup.policy"


class WishError(ValueError):
    """A declaration of topics cannot be taken: one sentence for each obstacle."""

    def __init__(self, sentences: list[str]) -> None:
        """Keep the sentences apart, for a list of them."""
        super().__init__("; ".join(sentences))
        self.sentences = sentences


def whole_number(value: Any) -> int:
    """A count of 1 or more; raises UnitError."""
    text = str(value).strip()
    if isinstance(value, bool) or not text.isdigit() or int(text) < 1:
        raise UnitError(f"{value!r} is no whole number from 1")
    return int(text)


def policies(value: Any) -> str:
    """What happens to old records: delete, compact or both, in Kafka's form; raises UnitError."""
    parts = value if isinstance(value, (list, tuple)) else str(value).split(",")
    names = [str(part).strip() for part in parts]
    if not names or not set(names) <= set(POLICIES):
        raise UnitError(f"{value!r} is none of delete, compact or both")
    return ",".join(sorted(set(names)))


# Friendly keys that stand for a key of Kafka's, and how their value is read.
READERS = {
    "retention": ("retention.ms", duration_ms),
    "retention_size": ("retention.bytes", size_bytes),
    "cleanup": (CLEANUP, policies),
    "min_insync": (MIN_ISR, whole_number),
}


def check_name(name: str, pattern: str) -> None:
    """Raise UnitError when Kafka or the site does not allow this name for a topic."""
    if not KAFKA_NAME.fullmatch(name) or name in (".", ".."):
        raise UnitError("the name is not 1 to 249 letters, digits, '.', '_' and '-'")
    if name.startswith("__"):
        raise UnitError("the name begins like those of Kafka's own topics, with __")
    if pattern and not re.fullmatch(pattern, name):
        raise UnitError(f"the name does not match {pattern}, this site's rule")


def check_keys(declared: Any) -> None:
    """Raise UnitError when a declaration is no mapping of the keys that we know."""
    if not isinstance(declared, Mapping):
        raise UnitError("the declaration is no mapping; {} takes all defaults")
    unknown = sorted(str(key) for key in declared if key not in KEYS)
    if unknown:
        raise UnitError(
            f"unknown key {unknown[0]}; known: {', '.join(KEYS)}; Kafka's own keys go under config"
        )
    if not isinstance(declared.get("config") or {}, Mapping):
        raise UnitError("config is no mapping of Kafka's keys")


def config_of(layer: Mapping[str, Any]) -> dict[str, Any]:
    """Kafka's keys from one declaration, or from the defaults; raises UnitError."""
    config = {str(key): value for key, value in (layer.get("config") or {}).items()}
    for key, (kafka_key, read) in READERS.items():
        if layer.get(key) is None:
            continue
        try:
            value = read(layer[key])
        except UnitError as error:
            raise UnitError(f"{key}: {error}") from None
        if kafka_key in config and str(config[kafka_key]) != str(value):
            raise UnitError(f"{key} and config.{kafka_key} are both given and differ")
        config[kafka_key] = value
    return config


def wish_of(declared: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """One topic as the module takes it; raises UnitError naming the key."""
    wish: dict[str, Any] = {"config": {**config_of(defaults), **config_of(declared)}}
    for key, name in (("partitions", "partitions"), ("replication", "replication_factor")):
        value = declared.get(key, defaults.get(key))
        if value is None:
            continue
        try:
            wish[name] = whole_number(value)
        except UnitError as error:
            raise UnitError(f"{key}: {error}") from None
    min_isr, replicas = wish["config"].get(MIN_ISR), wish.get("replication_factor")
    if min_isr is not None and replicas is not None and int(min_isr) > replicas:
        source = "" if MIN_ISR in config_of(declared) else ", from the defaults,"
        raise UnitError(
            f"min_insync {min_isr}{source} is above replication {replicas}: "
            "nobody could write with acks=all"
        )
    return wish


def topic_wishes(
    declarations: Mapping[str, Any], defaults: Mapping[str, Any] | None = None, pattern: str = ""
) -> dict[str, dict[str, Any]]:
    """Topics for the module ``topics``, from declarations by name and what they have in common.

    A key of a topic wins over the same key of the defaults; so does a friendly key over Kafka's
    own of the defaults, and the other way round. ``pattern`` is a regular expression that whole
    names match. Raises WishError with everything that is wrong, each with the topic's name.
    """
    common = defaults or {}
    wrong: list[str] = []
    try:
        check_keys(common)
        config_of(common)
    except UnitError as error:
        raise WishError([f"defaults of topics: {error}"]) from None
    wishes: dict[str, dict[str, Any]] = {}
    plain: dict[str, str] = {}
    for name in sorted(str(name) for name in declarations):
        declared = declarations[name] if declarations[name] is not None else {}
        try:
            check_name(name, pattern)
            check_keys(declared)
            other = plain.setdefault(name.replace(".", "_"), name)
            if other != name:
                raise UnitError(f"the name differs from {other} only in '.' and '_'")
            wishes[name] = wish_of(declared, common)
        except UnitError as error:
            wrong.append(f"topic {name}: {error}")
    if wrong:
        raise WishError(wrong)
    return wishes
