"""Schemas of a subject, from a registry with Confluent's API.

Each record has the id of its writer schema. All versions are read when a driver starts. A record
with another id fails its batch, which is repeated after the versions have been read again; only if
no version has its id, it is invalid with reason ``unknown_schema``.
"""

import json
import logging
import time
import urllib.parse
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from kafka_metal_declarations.model import Declaration, RegistrySite, Source
from kafka_metal_declarations.printable_values import hide_passwords

from kafka_metal_pipeline.registry_requests import RegistryError, fetch, short_text
from kafka_metal_pipeline.wire_format import UNKNOWN_WRITER

log = logging.getLogger(__name__)

# Seconds between two reads of the versions while a pipeline runs.
RENEW_S = 5.0
# Seconds for which the registry has to be without an id. An instance that has just started responds
# with a part of the schemas until it has read all of them.
CONFIRM_S = 60.0
# Type of the schemas in the registry, by the source's format.
TYPES = {"avro": "AVRO", "json_schema": "JSON"}
# Errors of a response of another form.
NOT_OF_A_REGISTRY = (ArithmeticError, AttributeError, KeyError, TypeError, ValueError)
# An id has four bytes in a record.
IDS = range(2**32)


class UnusableSchemaError(RegistryError):
    """A schema that this pipeline cannot read with."""


Fetch = Callable[[str, RegistrySite], Any]


class Reader:
    """Reads the schemas of a source, from the address that responded last, or the next one."""

    def __init__(self, source: Source, get: Fetch = fetch) -> None:
        """``source`` has a registry."""
        self._type, self._get = TYPES[source.format], get
        registry = source.registry
        self._site = (registry and registry.site) or RegistrySite(())
        subject = registry.subject if registry else ""
        self._path = f"/subjects/{urllib.parse.quote(subject, safe='')}/versions"
        self._urls = list(self._site.urls)

    def read(self) -> dict[int, str]:
        """Return the schemas of all versions of the subject by id; raises RegistryError."""
        try:
            return self._read()
        except (*NOT_OF_A_REGISTRY, RecursionError) as error:
            place = hide_passwords(self._urls[0] + self._path)
            reason = f"{type(error).__name__}: {short_text(str(error))}"
            raise _no_schema(
                f"{place}: its response is not that of a registry: {reason}"
            ) from error

    def _read(self) -> dict[int, str]:
        found = dict[int, str]()
        for version in map(int, self._load("")):
            where = f"{hide_passwords(self._urls[0] + self._path)}/{version}"
            schema = self._load(f"/{version}")
            kind = schema.get("schemaType", "AVRO")
            if (writer := int(schema["id"])) not in IDS:
                raise ValueError(f"id {writer}")
            if kind != self._type:
                raise UnusableSchemaError(f"{where} is {short_text(kind)}, not {self._type}")
            if kind == "AVRO" and schema.get("references"):
                raise UnusableSchemaError(f"{where} refers to other schemas")
            if kind == "AVRO" and not _is_record(schema["schema"]):
                raise UnusableSchemaError(f"{where} is not a record with fields")
            found[writer] = str(schema["schema"])
        return found

    def prefer_next(self) -> None:
        """Send the next requests to the next address first."""
        self._urls.append(self._urls.pop(0))

    def _load(self, path: str) -> Any:
        """Return JSON from the first address that has it, and prefer this address from now on.

        An instance that has just started may not have the subject yet: others may.
        """
        errors = []
        for url in list(self._urls):
            try:
                found = self._get(f"{url}{self._path}{path}", self._site)
                if not found:
                    raise RegistryError(f"{hide_passwords(url + self._path)} has no version")
            except RegistryError as error:
                errors.append(str(error))
                continue
            self._urls.remove(url)
            self._urls.insert(0, url)
            return found
        raise _no_schema("; ".join(errors))


def _no_schema(causes: str) -> RegistryError:
    return RegistryError(
        f"the schema registry gives no schema: check that it runs, and source.registry ({causes})"
    )


def _is_record(schema: str) -> bool:
    found = json.loads(schema)
    if not isinstance(found, dict) or found.get("type") != "record":
        return False
    fields = found.get("fields") or ()
    return bool(fields) and all(isinstance(each["name"], str) for each in fields)


def resolve_schemas(declaration: Declaration, get: Fetch = fetch) -> Declaration:
    """Return the declaration with the writer schemas of its registry; raises RegistryError."""
    source = declaration.source
    if source.registry is None:
        return declaration
    writers = tuple(sorted(Reader(source, get).read().items()))
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
        source = declaration.source
        self._reader = Reader(source, get) if source.registry else None
        self._clock = clock
        self._next = 0.0
        # Since when the registry responds, and does not have the id of a record.
        self._since: float | None = None
        writers = tuple(sorted(self._reader.read().items())) if self._reader else ()
        source = replace(source, writers=writers, fails_for_unknown_writers=bool(writers))
        # With the schemas that were read last.
        self.declaration = replace(declaration, source=source)

    @property
    def is_waiting(self) -> bool:
        """Whether a record's id is unknown, and the registry may still have it."""
        return self._since is not None

    def renew(self, errors: Iterable[BaseException]) -> bool:
        """Read them again if a batch has failed for one; return whether ``declaration`` changed.

        If the registry responds for CONFIRM_S without it, the record is invalid from now on. Others
        are too, until the subject has one: so records with random ids cause one restart, not many.
        """
        source, now = self.declaration.source, self._clock()
        if self._reader is None or now < self._next:
            return False
        is_missing = any(UNKNOWN_WRITER in str(error) for error in errors)
        if source.fails_for_unknown_writers and not is_missing:
            self._since = None
            return False
        self._next = now + RENEW_S
        self._since = (self._since or now) if is_missing else None
        try:
            found = self._reader.read()
        except RegistryError as error:
            log.warning("%s", error)
            # It may read all schemas again when it is back.
            self._since = None
            return False
        known = dict(source.writers)
        added = [str(writer) for writer in found if writer not in known]
        if not added and (self._since is None or now - self._since < CONFIRM_S):
            # An instance that has just started may have read only some of the versions.
            self._reader.prefer_next()
            return False
        self._since = None
        log.info("new schemas: %s", ", ".join(added) or "none")
        # Versions that are gone stay known: the answering instance may not have read all.
        writers = tuple(sorted({**known, **found}.items()))
        source = replace(source, writers=writers, fails_for_unknown_writers=bool(added))
        self.declaration = replace(self.declaration, source=source)
        return True
