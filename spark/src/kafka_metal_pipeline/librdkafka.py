"""Translation of Java client options to librdkafka's, and clients with these options."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kafka_metal_declarations import librdkafka_names
from kafka_metal_declarations.librdkafka_names import KEYSTORE, RENAMED
from kafka_metal_declarations.option_names import normalise_name
from kafka_metal_declarations.printable_values import printable_value

from kafka_metal_pipeline.transactions import Producer, producer_options

# A reference to a value in a properties file, resolved by the Java client.
REFERENCE = re.compile(r"\$\{file:([^:}]+):([^}]+)\}")
CREDENTIAL = re.compile(r"\b(username|password)=(?:\"((?:\\.|[^\"\\])*)\"|'([^']*)')")
READ_TIMEOUT_S = 30.0


class OptionError(ValueError):
    """An option that librdkafka does not support."""


def translate_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return options of a Java client, with or without the prefix ``kafka.``, for librdkafka.

    Raises OptionError for unsupported options: ignoring one could disable encryption.
    """
    found: dict[str, str] = {}
    for original, value in options.items():
        name = normalise_name(original)
        if allowed := librdkafka_names.refusal(name, value):
            printable = printable_value(name, value)
            raise OptionError(f"{name}: found {printable}; allowed: {allowed}")
        if name == librdkafka_names.LOGIN:
            found |= _credentials(REFERENCE.sub(_read_reference, value))
        elif name in KEYSTORE and (reference := REFERENCE.fullmatch(value)):
            # Executors get the content from the driver; librdkafka in the driver uses the file.
            found[KEYSTORE[name]] = reference[1]
        elif name == librdkafka_names.KEYSTORE_FILE:
            found |= {"ssl.certificate.location": value, "ssl.key.location": value}
        elif not librdkafka_names.is_ignored(name):
            found[RENAMED.get(name, name)] = value
    return found


def connect(options: Mapping[str, str], transactional_id: str) -> Producer:
    """Return a producer of confluent-kafka with this transactional id."""
    from confluent_kafka import Producer as Librdkafka

    client: Producer = Librdkafka(producer_options(options, transactional_id))
    return client


def read_all(options: Mapping[str, str], topic: str) -> Iterator[tuple[str, str]]:
    """Yield keys and values of a topic's committed records, up to its current end."""
    from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

    consumer: Any = Consumer(
        {
            **{key: value for key, value in options.items() if key in _READER},
            "group.id": "kafka-metal-marks",
            "enable.auto.commit": "false",
            "isolation.level": "read_committed",
            "enable.partition.eof": "true",
        }
    )
    try:
        partitions = consumer.list_topics(topic, READ_TIMEOUT_S).topics[topic].partitions
        if not partitions:
            raise OptionError(
                f"the topic of batch markers, {topic}, does not exist; required: a topic with "
                "cleanup.policy=compact (in kafka_content_topics: cleanup: compact)"
            )
        left = set(partitions)
        consumer.assign([TopicPartition(topic, each, OFFSET_BEGINNING) for each in partitions])
        while left:
            message = consumer.poll(READ_TIMEOUT_S)
            if message is None:
                raise TimeoutError(f"topic {topic}: no record or end within {READ_TIMEOUT_S:.0f} s")
            error = message.error()
            if error is None:
                yield (message.key() or b"").decode(), (message.value() or b"").decode()
            elif error.name() == "_PARTITION_EOF":
                left.discard(message.partition())
            else:
                raise RuntimeError(f"topic {topic}: {error.str()}")
    finally:
        consumer.close()


# Options of a producer that a consumer supports as well.
_READER = frozenset(
    {"bootstrap.servers", "security.protocol", "sasl.mechanism", "sasl.username", "sasl.password"}
    | {"ssl.certificate.location", "ssl.key.location"}
    | {"ssl.ca.location", "ssl.ca.pem", "ssl.certificate.pem", "ssl.key.pem", "ssl.key.password"}
    | {"ssl.endpoint.identification.algorithm", "client.id", "client.rack"}
)


def _read_reference(reference: re.Match[str]) -> str:
    """Return a key's value in a properties file, escaped for use inside quotes."""
    path, wanted = reference.groups()
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        key, equals, value = line.partition("=")
        if equals and key.strip() == wanted:
            return re.sub(r'(["\\])', r"\\\1", value.strip())
    raise OptionError(f"{path}: has no key {wanted}")


def _credentials(jaas: str) -> dict[str, str]:
    found = {
        f"sasl.{name}": re.sub(r"\\(.)", r"\1", double) or single
        for name, double, single in CREDENTIAL.findall(jaas)
    }
    if len(found) < 2:
        raise OptionError("sasl.jaas.config: found no user name and password; both are required")
    return found
