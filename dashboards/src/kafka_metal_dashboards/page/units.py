"""Format numbers by the names of units in Grafana."""

from datetime import UTC, datetime

from ..model import BYTE_RATE, BYTES, MOMENT, RATE, RATIO, SECONDS, STATE

BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
DECIMAL = ("", " k", " M", " G")


def format_value(value: float, unit: str) -> str:
    """Return a number with its unit."""
    if unit in (BYTES, BYTE_RATE):
        return _scaled(value, 1024, [f" {each}" for each in BINARY]) + "/s" * (unit == BYTE_RATE)
    if unit == RATIO:
        return f"{value * 100:.4g} %"
    if unit == SECONDS:
        return _seconds(value)
    if unit == STATE:
        return "yes" if value else "no"
    if unit == MOMENT:
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return _scaled(value, 1000, DECIMAL) + "/s" * (unit == RATE)


def _seconds(value: float) -> str:
    for size, name in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        if abs(value) >= size:
            return f"{value / size:.3g} {name}"
    return f"{value * 1000:.3g} ms"


def _scaled(value: float, base: int, names: tuple[str, ...] | list[str]) -> str:
    place = 0
    while abs(value) >= base and place < len(names) - 1:
        value, place = value / base, place + 1
    return f"{value:.4g}{names[place]}"
