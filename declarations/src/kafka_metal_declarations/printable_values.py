"""Values of a declaration as texts for messages, without secrets."""

import re

from kafka_metal_declarations.option_names import STORES, normalise_name

# Maximum characters of a value in a message.
LONGEST = 400
# Spark's own pattern of names and values that it hides, spark.redaction.regex, and keys of storage.
SECRET = re.compile(r"secret|password|token|access[.]?key|credential|[.]key\b", re.IGNORECASE)


def format_value(value: object) -> str:
    """Return a value for a message, shortened; Python refuses to format huge integers."""
    try:
        text = value if isinstance(value, str) and value else repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def printable_value(option: str, value: object) -> str:
    """Return the value of an option for a message, or that it is hidden.

    Hidden are values of ``ssl.*`` and ``sasl.*``, and those that look like a secret.
    """
    name, text = normalise_name(option), format_value(value)
    is_security = name.startswith(("ssl.", "sasl.")) and name not in STORES
    hidden = is_security or SECRET.search(name) or SECRET.search(text)
    return "a hidden value" if hidden else text
