"""A declaration as a person writes it, joined with what the site adds. Nothing is dropped silently.

Options of clients are joined key by key. What the site alone can know is refused in a declaration.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kafka_metal_pipeline.declared_site import SITE_KEYS
from kafka_metal_pipeline.keys import Problem

# Maps of options that a declaration may add to.
JOINED = ("kafka_options", "spark_options")
# Who a pipeline is to the brokers, and which ones they are.
IDENTITY = re.compile(r"(security\.|sasl\.|ssl\.|config\.providers).*|bootstrap\.servers")


def misplaced(name: str, declared: Mapping[str, Any]) -> Iterator[Problem]:
    """Keys of a declaration that the site alone gives."""
    for key in SITE_KEYS:
        if key in declared and key not in JOINED:
            yield Problem(
                name, key, str(declared[key]), "nothing: the site gives it, see roles/pipeline"
            )
    for option, value in _options(declared, "kafka_options").items():
        if IDENTITY.fullmatch(_plain(option)):
            yield Problem(
                name,
                f"kafka_options.{option}",
                str(value),
                "nothing: the platform gives each pipeline its own way in, see docs/security.md",
            )


def placed(name: str, declared: Mapping[str, Any], site: Mapping[str, Any]) -> dict[str, Any]:
    """The document that a driver reads; problems of it are those of ``conflicts``."""
    joined: dict[str, Any] = {}
    for key in JOINED:
        if not isinstance(declared.get(key, {}), Mapping):
            # The validator refuses it.
            joined[key] = declared[key]
        elif key in declared or key in site:
            joined[key] = {**_options(declared, key), **_options(site, key)}
    return {"name": name, **declared, **site, **joined}


def conflicts(name: str, declared: Mapping[str, Any], site: Mapping[str, Any]) -> Iterator[Problem]:
    """Options that the site gives another value than the declaration."""
    for key in JOINED:
        given = {_plain(option): value for option, value in _options(site, key).items()}
        for option, value in _options(declared, key).items():
            theirs = given.get(_plain(option), value)
            if str(theirs) != str(value):
                yield Problem(
                    name,
                    f"{key}.{option}",
                    str(value),
                    f"{theirs}, which the site needs; leave it out",
                )


def _options(declared: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = declared.get(key)
    return found if isinstance(found, Mapping) else {}


def _plain(option: str) -> str:
    return str(option).removeprefix("kafka.")
