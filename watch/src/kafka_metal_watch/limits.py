"""How many connections a broker accepts on each listener, from its settings in force."""

from collections.abc import Mapping

# What Kafka has for "no limit".
UNLIMITED = 2**31 - 1


def of_listeners(settings: Mapping[str, str | None]) -> dict[str, int]:
    """Limits by listener; one without a limit of its own has that of the broker, if any."""
    limits = {}
    for each in (settings.get("listeners") or "").split(","):
        name = each.partition("://")[0].strip()
        own = settings.get(f"listener.name.{name.lower()}.max.connections")
        limit = int(own or settings.get("max.connections") or UNLIMITED)
        if name and limit < UNLIMITED:
            limits[name] = limit
    return limits
