"""Avro schemas of a subject, from a registry with Confluent's API.

Each record has the id of its writer schema. All versions are read when a driver starts. A record
with a later version is invalid with reason ``unknown_schema``; after the next start ``repair``
sends it back.
"""

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from http.client import HTTPException, InvalidURL
from typing import Any

from kafka_metal_declarations.model import Declaration, Registry
from kafka_metal_declarations.printable_values import hide_passwords

TIMEOUT_S = 20
LIMIT_BYTES = 64 * 1024**2
ACCEPT = "application/vnd.schemaregistry.v1+json, application/json"


class RegistryError(RuntimeError):
    """A registry without usable schemas; the message names registry, subject and cause."""


Fetch = Callable[[str], Any]


def fetch(url: str) -> Any:
    """Return JSON from a URL; raises RegistryError."""
    try:
        request = urllib.request.Request(url, headers={"Accept": ACCEPT})
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
            content = response.read(LIMIT_BYTES + 1)
        if len(content) > LIMIT_BYTES:
            raise ValueError(f"the response is larger than {LIMIT_BYTES // 1024**2} MiB")
        return json.loads(content)
    except InvalidURL:
        # Its text has parts of the URL, such as a password.
        raise _error(url, "the URL is invalid") from None
    except (OSError, ValueError, HTTPException, RecursionError) as error:
        found = getattr(error, "reason", None) or error
        reason = getattr(found, "strerror", None) or found
        raise _error(url, str(reason) or type(error).__name__) from error


def _error(url: str, reason: str) -> RegistryError:
    return RegistryError(
        f"the schema registry gives no schema: check that it runs, and source.registry.url "
        f"({hide_passwords(url)}: {reason})"
    )


def read_schemas(registry: Registry, get: Fetch = fetch) -> dict[int, str]:
    """Return the Avro schemas of all versions of the subject, as JSON by id."""
    subject = f"{registry.url}/subjects/{urllib.parse.quote(registry.subject, safe='')}"
    printable, found = hide_passwords(subject), dict[int, str]()
    try:
        for version in get(f"{subject}/versions"):
            schema = get(f"{subject}/versions/{version}")
            if schema.get("schemaType", "AVRO") != "AVRO":
                raise RegistryError(
                    f"{printable}: version {version} is {schema['schemaType']}, not AVRO"
                )
            if schema.get("references"):
                raise RegistryError(f"{printable}: version {version} refers to other schemas")
            if json.loads(schema["schema"]).get("type") != "record":
                raise RegistryError(f"{printable}: version {version} is not a record")
            found[int(schema["id"])] = str(schema["schema"])
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise _error(subject, f"its response is not that of a registry: {reason}") from error
    if not found:
        raise RegistryError(f"{printable} has no version")
    return found


def resolve_schemas(declaration: Declaration, get: Fetch = fetch) -> Declaration:
    """Return the declaration with the writer schemas of its registry."""
    source = declaration.source
    if source.registry is None:
        return declaration
    writers = tuple(sorted(read_schemas(source.registry, get).items()))
    return replace(declaration, source=replace(source, writers=writers))
