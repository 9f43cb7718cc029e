"""Avro schemas of a subject, from a registry with Confluent's API.

Each record has the id of its writer schema. All versions are read when a driver starts. A record
with another id fails its batch, which is repeated after the versions have been read again; only if
no version has its id, it is invalid with reason ``unknown_schema``.
"""

import json
import logging
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from kafka_metal_declarations.model import Declaration, Registry
from kafka_metal_declarations.printable_values import hide_passwords

from kafka_metal_pipeline.avro import UNKNOWN_WRITER

log = logging.getLogger(__name__)

TIMEOUT_S = 20
# Seconds between two reads of the versions while a pipeline runs.
RENEW_S = 5.0
ACCEPT = "application/vnd.schemaregistry.v1+json, application/json"


class RegistryError(RuntimeError):
    """A registry without usable schemas; the message names registry, subject and cause."""


Fetch = Callable[[str], Any]


def fetch(url: str) -> Any:
    """Return JSON from a URL; raises RegistryError."""
    request = urllib.request.Request(url, headers={"Accept": ACCEPT})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
            return json.load(response)
    except (OSError, ValueError) as error:
        raise RegistryError(f"{hide_passwords(url)}: {error}") from error


def _subject(registry: Registry) -> str:
    return f"{registry.url}/subjects/{urllib.parse.quote(registry.subject, safe='')}"


def read_schemas(registry: Registry, get: Fetch = fetch) -> dict[int, str]:
    """Return the Avro schemas of all versions of the subject, as JSON by id."""
    subject = _subject(registry)
    printable, found = hide_passwords(subject), dict[int, str]()
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


class WriterSchemas:
    """The writer schemas of a pipeline's source, read again while it runs."""

    def __init__(
        self,
        declaration: Declaration,
        get: Fetch = fetch,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Read them; raises RegistryError."""
        self._get, self._clock = get, clock
        self._next = 0.0
        found = resolve_schemas(declaration, get)
        source = replace(found.source, fails_for_unknown_writers=found.source.registry is not None)
        # With the schemas that were read last.
        self.declaration = replace(found, source=source)

    def renew(self, errors: Iterable[BaseException]) -> bool:
        """Read them again if a batch has failed for one; return whether ``declaration`` changed.

        If the subject has no new version, the record is invalid from now on. Others are too, until
        the subject has one: so records with random ids cause one restart, not many.
        """
        source = self.declaration.source
        if source.registry is None or self._clock() < self._next:
            return False
        is_missing = any(UNKNOWN_WRITER in str(error) for error in errors)
        if source.fails_for_unknown_writers and not is_missing:
            return False
        self._next = self._clock() + RENEW_S
        try:
            found = resolve_schemas(self.declaration, self._get).source.writers
        except RegistryError as error:
            log.warning("%s", error)
            return False
        if found == source.writers and not is_missing:
            return False
        known = dict(source.writers)
        added = [str(writer) for writer, _ in found if writer not in known]
        log.info("new Avro schemas: %s", ", ".join(added) or "none")
        source = replace(source, writers=found, fails_for_unknown_writers=bool(added))
        self.declaration = replace(self.declaration, source=source)
        return True
