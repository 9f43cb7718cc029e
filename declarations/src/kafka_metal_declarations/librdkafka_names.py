"""Names of client options in librdkafka, with which transactional outputs write."""

import re

from kafka_metal_declarations.option_names import STORES

# Options with the same name and meaning in the Java client.
SAME = frozenset(
    re.findall(
        r"\S+",
        "security.protocol sasl.mechanism client.id compression.type linger.ms batch.size acks "
        "request.timeout.ms transaction.timeout.ms ssl.endpoint.identification.algorithm "
        "metadata.max.age.ms reconnect.backoff.ms reconnect.backoff.max.ms retry.backoff.ms "
        "isolation.level client.rack",
    )
)
RENAMED = {
    "ssl.truststore.location": "ssl.ca.location",
    "ssl.truststore.certificates": "ssl.ca.pem",
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
    "ssl.key.password": "ssl.key.password",
    "max.request.size": "message.max.bytes",
}
KEYSTORE = {
    "ssl.keystore.certificate.chain": "ssl.certificate.location",
    "ssl.keystore.key": "ssl.key.location",
}
# A PEM store has certificate and key.
KEYSTORE_FILE = "ssl.keystore.location"
LOGIN = "sasl.jaas.config"
# Classes that resolve references to files, which librdkafka does not need.
PROVIDERS = "config.providers"
# Options of reading: a transactional output only writes.
OF_READING = ("fetch.", "max.poll.", "max.partition.")


def is_ignored(name: str) -> bool:
    """Whether an option has no effect on a client that only writes."""
    return name in STORES or name.startswith((PROVIDERS, *OF_READING))


def refusal(name: str, value: str) -> str | None:
    """Return what is allowed instead of an option that librdkafka does not support; else None."""
    if name in STORES:
        # librdkafka supports PEM only.
        return None if value.upper() == "PEM" else "PEM, for a transactional output"
    known = name in SAME or name in RENAMED or name in (LOGIN, KEYSTORE_FILE)
    if known or is_ignored(name):
        return None
    return f"for a transactional output: {', '.join(sorted(SAME | {'max.request.size'}))}"
