"""Records with the id of a schema: encoded by the serializers of a schema registry's client."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kafka_metal_declarations.text_file import Fault

from kafka_metal_client.errors import ClientError
from kafka_metal_client.records import Check, Reader, Record
from kafka_metal_client.sizes import batch_bytes

REMEDY = "make access U=NAME writes it, as schema-registry.json"
# Formats of pipelines, by the type of the schema.
FORMATS = {"AVRO": "avro", "JSON": "json_schema"}
# Only schemas that exist are used; a field that the schema does not have is an error.
USES_LATEST = {"auto.register.schemas": False, "use.latest.version": True}
STRICT = {"validate.strict.allow.default": True}
# Characters of an error of a library: it may have the whole schema.
LONGEST = 400


def connect(file: Path) -> list[Any]:
    """Return Confluent's clients of a registry, one for each address in a file of JSON.

    One client of all addresses would report the 404 of an instance that has not read its schemas
    yet, and ask no other instance.
    """
    from confluent_kafka.schema_registry import SchemaRegistryClient

    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(settings, dict):
            raise ValueError("found no object of settings")
        addresses = str(settings.get("url", "")).split(",")
        return [SchemaRegistryClient({**settings, "url": each}) for each in addresses]
    except OSError as error:
        raise ClientError(f"{error.filename or file}: {error.strerror}; {REMEDY}") from None
    except (ValueError, TypeError) as error:
        # Errors of the client have names of settings, those of JSON a place.
        raise ClientError(f"{file}: {error}; {REMEDY}") from None


@dataclass(frozen=True)
class Encoding:
    """The latest version of a subject; ``encode`` takes the value of a record, a JSON object."""

    subject: str
    version: int
    id: int
    format: str
    encode: Callable[[bytes], bytes]

    def __str__(self) -> str:
        """Return the schema and how a pipeline reads it, for the output."""
        return (
            f"format: version {self.version} of {self.subject}, id {self.id}: a pipeline reads it "
            f"with source.format {self.format}"
        )


def read_encoding(clients: Iterable[Any], subject: str, topic: str) -> Encoding:
    """Return the encoding by the latest version of a subject; ClientError if there is none."""
    from confluent_kafka.schema_registry.avro import AvroSerializer
    from confluent_kafka.schema_registry.json_schema import JSONSerializer
    from confluent_kafka.serialization import MessageField, SerializationContext

    client, latest = _latest(clients, subject)
    kind = latest.schema.schema_type
    if kind not in FORMATS:
        allowed = ", ".join(FORMATS)
        raise ClientError(f"subject {subject}: found a schema of type {kind}; allowed: {allowed}")
    options = {**USES_LATEST, "subject.name.strategy": lambda *_: subject}
    try:
        if kind == "AVRO":
            serializer: Any = AvroSerializer(client, latest.schema, conf={**options, **STRICT})
        else:
            serializer = JSONSerializer(latest.schema, client, conf=options)
    except Exception as error:
        # Each serializer's library parses the schema, and raises its own classes.
        lines = str(error).splitlines() or [type(error).__name__]
        place = f"version {latest.version} of subject {subject}"
        raise ClientError(
            f"schema registry: {place}: found a schema that is not valid: {lines[0][:LONGEST]}; "
            "nothing was sent"
        ) from None
    context = SerializationContext(topic, MessageField.VALUE)

    def encode(value: bytes) -> bytes:
        return bytes(serializer(json.loads(value), context))

    return Encoding(subject, latest.version, latest.schema_id, FORMATS[kind], encode)


def _latest(clients: Iterable[Any], subject: str) -> tuple[Any, Any]:
    """Return the highest version that an instance has, and the client of this instance.

    An instance that has just started has read some of the versions, or none.
    """
    found, errors = [], []
    for client in clients:
        try:
            latest = client.get_latest_version(subject)
            found.append((int(latest.version), client, latest))
        except Exception as error:
            # The library of the client decides about the classes of errors of its connections.
            errors.append(str(error))
    if not found:
        causes = "; ".join(dict.fromkeys(errors))
        raise ClientError(f"schema registry: subject {subject}: {causes}; nothing was sent")
    _, client, latest = max(found, key=lambda each: each[0])
    return client, latest


class Encoded:
    """Records of another reader, with encoded values."""

    def __init__(self, reader: Reader, encoding: Encoding) -> None:
        """``reader`` yields values that are JSON objects."""
        self._reader, self._encoding = reader, encoding

    def check(self) -> Check:
        """Check the file, then whether each record fits the schema."""
        result = self._reader.check()
        if result.faults:
            return result
        result.largest = (0, 0)
        for record in self._reader.records():
            try:
                value = self._encode(record).value
            except Fault as fault:
                result.faults.append(fault)
                if result.full:
                    break
                continue
            result.largest = max(result.largest, (batch_bytes(record.key, value), record.line))
        return result

    def records(self) -> Iterator[Record]:
        """Yield the records of a file that was checked; Fault if it has changed since."""
        return map(self._encode, self._reader.records())

    def _encode(self, record: Record) -> Record:
        """Return the record with its encoded value; Fault if it does not fit the schema."""
        try:
            return replace(record, value=self._encoding.encode(record.value))
        except Exception as error:
            # Each serializer raises its own classes.
            lines = str(error).splitlines() or [type(error).__name__]
            allowed = f"a record of version {self._encoding.version} of {self._encoding.subject}"
            raise Fault(record.line, 1, lines[0], allowed) from None
