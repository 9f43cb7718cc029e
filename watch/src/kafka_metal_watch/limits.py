"""Connection limits of a broker's listeners, from its effective settings."""

from collections.abc import Mapping

# Kafka's default, which means no limit.
UNLIMITED = 2**31 - 1


def listener_limits(settings: Mapping[str, str | None]) -> dict[str, int]:
    """Return the connection limit by listener: its own, or that of the broker if any."""
    limits = {}
    for each in (settings.get("listeners") or "").split(","):
        name = each.partition("://")[0].strip()
        own = settings.get(f"listener.name.{name.lower()}.max.connections")
        limit = int(own or settings.get("max.connections") or UNLIMITED)
        if name and limit < UNLIMITED:
            limits[name] = limit
    return limits
