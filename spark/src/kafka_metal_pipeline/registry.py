"""The schemas of a subject, from a registry that speaks Confluent's API.

Each record says by an id which schema it was written with. All versions are read when a driver
starts; a record of one that came later is invalid as ``unknown_schema``, and goes back by
``repair`` after the next start.
"""

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kafka_metal_declarations.model import Declaration, Registry

TIMEOUT_S = 20
ACCEPT = "application/vnd.schemaregistry.v1+json, application/json"


class RegistryError(RuntimeError):
    """A registry that gives no schemas; the message names registry, subject and cause."""


Fetch = Callable[[str], Any]


def fetch(url: str) -> Any:
    """JSON from a URL. Raises RegistryError."""
    request = urllib.request.Request(url, headers={"Accept": ACCEPT})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            return json.load(answer)
    except (OSError, ValueError) as error:
        raise RegistryError(f"{url}: {error}") from error


def schemas_of(registry: Registry, get: Fetch = fetch) -> dict[int, str]:
    """Avro schemas of every version of the subject, as JSON by id."""
    subject = f"{registry.url}/subjects/{urllib.parse.quote(registry.subject, safe='')}"
    found: dict[int, str] = {}
    for version in get(f"{subject}/versions"):
        told = get(f"{subject}/versions/{version}")
        if told.get("schemaType", "AVRO") != "AVRO":
            raise RegistryError(f"{subject}: version {version} is {told['schemaType']}, not AVRO")
        if told.get("references"):
            raise RegistryError(f"{subject}: version {version} refers to other schemas")
        if json.loads(told["schema"]).get("type") != "record":
            raise RegistryError(f"{subject}: version {version} is no record")
        found[int(told["id"])] = str(told["schema"])
    if not found:
        raise RegistryError(f"{subject} has no version")
    return found


def resolved(declaration: Declaration, get: Fetch = fetch) -> Declaration:
    """The declaration with the schemas that its records may have been written with."""
    source = declaration.source
    if source.registry is None:
        return declaration
    writers = tuple(sorted(schemas_of(source.registry, get).items()))
    return replace(declaration, source=replace(source, writers=writers))
