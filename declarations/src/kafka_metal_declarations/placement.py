"""Merging of a user's declaration with the site's values; nothing is dropped silently.

Client options are merged key by key. Keys that only the site may set are refused in a declaration.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kafka_metal_declarations.client_options import refused_options
from kafka_metal_declarations.declared_site import SITE_KEYS
from kafka_metal_declarations.keys import DeclarationError, Problem
from kafka_metal_declarations.librdkafka_names import refusal
from kafka_metal_declarations.needs import read_needs
from kafka_metal_declarations.option_names import normalise_name
from kafka_metal_declarations.printable_values import printable_value

# Maps of options that both the declaration and the site may set.
JOINED = ("kafka_options", "spark_options")
# Mappings that are accessed before validation; their value may be empty.
MAPPINGS = (*JOINED, "resources", "rules")


def site_only_keys(name: str, declared: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a problem per key of a declaration that only the site may set."""
    for key in SITE_KEYS:
        if key in declared and key not in JOINED:
            yield Problem(
                name,
                key,
                printable_value(key, declared[key]),
                "nothing: the site sets it, see roles/pipeline",
            )
    for kind in JOINED:
        for option, value, allowed in refused_options(_options(declared, kind), kind):
            yield Problem(name, f"{kind}.{option}", value, allowed)
    yield from _unsupported(name, declared, _options(declared, "kafka_options"))


def add_site_values(
    name: str, declared: Mapping[str, Any], site: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the document that a driver reads; ``option_conflicts`` checks it.

    A mapping without a value, such as ``resources:`` alone, is ignored. DeclarationError if a
    value that has to be a mapping is not.
    """
    written = {
        key: value for key, value in declared.items() if value is not None or key not in MAPPINGS
    }
    if wrong := [
        Problem(name, key, printable_value(key, written[key]), "a mapping")
        for key in MAPPINGS
        if not isinstance(written.get(key, {}), Mapping)
    ]:
        raise DeclarationError(wrong)
    joined = {
        key: _join(_options(written, key), _options(site, key))
        for key in JOINED
        if key in written or key in site
    }
    return {"name": name, **written, **site, **joined}


def _join(declared: Mapping[str, Any], site: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of both; where spellings differ, only the site's."""
    spelled = {normalise_name(option): option for option in site}
    own = {
        option: value
        for option, value in declared.items()
        if spelled.get(normalise_name(option), option) == option
    }
    return {**own, **site}


def option_conflicts(
    name: str, declared: Mapping[str, Any], site: Mapping[str, Any]
) -> Iterator[Problem]:
    """Yield a problem per option that the site sets to a different value, or cannot set."""
    yield from _unsupported(name, declared, _options(site, "kafka_options"))
    for key in JOINED:
        site_options = {
            normalise_name(option): value for option, value in _options(site, key).items()
        }
        for option, value in _options(declared, key).items():
            required = site_options.get(normalise_name(option), value)
            if str(required) != str(value):
                found, needed = (printable_value(option, each) for each in (value, required))
                allowed = f"{needed}, which the site needs; leave it out"
                yield Problem(name, f"{key}.{option}", found, allowed)


def _unsupported(
    pipeline: str, declared: Mapping[str, Any], options: Mapping[str, Any]
) -> Iterator[Problem]:
    """Yield a problem per option that the client of transactional outputs does not support."""
    # Only transactional outputs have markers.
    if not read_needs(declared).marks:
        return
    for option, value in options.items():
        if allowed := refusal(normalise_name(option), str(value)):
            found = printable_value(option, value)
            yield Problem(pipeline, f"kafka_options.{option}", found, allowed)


def _options(declared: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = declared.get(key)
    return found if isinstance(found, Mapping) else {}
