"""Names of client options as clients compare them."""

from collections.abc import Iterable, Iterator

# Type of a store of certificates: not a secret, unlike the other options of ssl.* and sasl.*.
STORES = frozenset({"ssl.truststore.type", "ssl.keystore.type"})
# For an option with several spellings, of which only one value would count.
ALLOWED_SPELLING = (
    "one spelling of each option: upper case and the prefix kafka. make no difference"
)


def normalise_name(option: str) -> str:
    """Return the name that a client compares: lower case, without the ``kafka.`` prefix."""
    return str(option).lower().removeprefix("kafka.")


def repeated_options(options: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each option that has another spelling before it, with that spelling."""
    spelled: dict[str, str] = {}
    for option in options:
        earlier = spelled.setdefault(normalise_name(option), option)
        if earlier != option:
            yield option, earlier
