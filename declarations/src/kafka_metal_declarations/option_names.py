"""Names of client options as clients compare them, and values that no message may contain."""

import re

# Type of a store of certificates: not a secret, unlike the other options of ssl.* and sasl.*.
STORES = frozenset({"ssl.truststore.type", "ssl.keystore.type"})
# Spark's own pattern of names and values that it hides, spark.redaction.regex, and keys of storage.
SECRET = re.compile(r"secret|password|token|access[.]?key|credential|[.]key\b", re.IGNORECASE)


def normalise_name(option: str) -> str:
    """Return the name that a client compares: lower case, without the ``kafka.`` prefix."""
    return str(option).lower().removeprefix("kafka.")


def printable_value(option: str, value: str) -> str:
    """Return the value of an option for a message, or that it is hidden.

    Hidden are values of ``ssl.*`` and ``sasl.*``, and those that look like a secret.
    """
    name = normalise_name(option)
    is_security = name.startswith(("ssl.", "sasl.")) and name not in STORES
    hidden = is_security or SECRET.search(name) or SECRET.search(value)
    return "a hidden value" if hidden else value
