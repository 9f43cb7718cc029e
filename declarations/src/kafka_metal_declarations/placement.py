"""A declaration as a person writes it, joined with what the site adds. Nothing is dropped silently.

Options of clients are joined key by key. What the site alone can know is refused in a declaration.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kafka_metal_declarations.client_options import plain, refused
from kafka_metal_declarations.declared_site import SITE_KEYS
from kafka_metal_declarations.keys import DeclarationError, Problem, shown

# Maps of options that a declaration may add to.
JOINED = ("kafka_options", "spark_options")
# What a declaration may leave out, and what is read before the validator sees it.
MAPPINGS = (*JOINED, "resources", "rules")


def misplaced(name: str, declared: Mapping[str, Any]) -> Iterator[Problem]:
    """Keys of a declaration that the site alone gives."""
    for key in SITE_KEYS:
        if key in declared and key not in JOINED:
            yield Problem(
                name, key, shown(declared[key]), "nothing: the site gives it, see roles/pipeline"
            )
    for kind in JOINED:
        for option, value, allowed in refused(_options(declared, kind), kind):
            yield Problem(name, f"{kind}.{option}", value, allowed)


def placed(name: str, declared: Mapping[str, Any], site: Mapping[str, Any]) -> dict[str, Any]:
    """The document that a driver reads; problems of it are those of ``conflicts``.

    A mapping that has no value, as ``resources:`` alone, is as if it were not there. Raises
    DeclarationError where there is something else.
    """
    written = {
        key: value for key, value in declared.items() if value is not None or key not in MAPPINGS
    }
    if wrong := [
        Problem(name, key, shown(written[key]), "a mapping")
        for key in MAPPINGS
        if not isinstance(written.get(key, {}), Mapping)
    ]:
        raise DeclarationError(wrong)
    joined = {
        key: {**_options(written, key), **_options(site, key)}
        for key in JOINED
        if key in written or key in site
    }
    return {"name": name, **written, **site, **joined}


def conflicts(name: str, declared: Mapping[str, Any], site: Mapping[str, Any]) -> Iterator[Problem]:
    """Options that the site gives another value than the declaration."""
    for key in JOINED:
        given = {plain(option): value for option, value in _options(site, key).items()}
        for option, value in _options(declared, key).items():
            theirs = given.get(plain(option), value)
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
