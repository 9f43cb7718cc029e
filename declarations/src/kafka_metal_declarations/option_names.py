"""Names of client options as clients compare them."""

# Type of a store of certificates: not a secret, unlike the other options of ssl.* and sasl.*.
STORES = frozenset({"ssl.truststore.type", "ssl.keystore.type"})


def normalise_name(option: str) -> str:
    """Return the name that a client compares: lower case, without the ``kafka.`` prefix."""
    return str(option).lower().removeprefix("kafka.")
