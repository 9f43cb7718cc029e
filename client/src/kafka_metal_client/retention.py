"""Ages at which a topic deletes or rejects records, and the warning about a replay of old ones."""

from collections.abc import Mapping
from dataclasses import dataclass

UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"))
# Kafka's default of the largest accepted age: no limit.
UNLIMITED = 2**63 - 1


@dataclass(frozen=True)
class Ages:
    """Kafka deletes records older than ``retained``, and rejects older than ``accepted`` (ms)."""

    retained: int = UNLIMITED
    accepted: int = UNLIMITED

    @property
    def smallest(self) -> int:
        """The age from which records are lost."""
        return min(self.retained, self.accepted)


def ages(settings: Mapping[str, str]) -> Ages:
    """Return the ages in the ``settings`` of a topic; without limits if it has none."""
    if settings.get("message.timestamp.type") == "LogAppendTime":
        # The broker stamps the records.
        return Ages()
    deletes = "delete" in settings.get("cleanup.policy", "")
    names = ("message.timestamp.before.max.ms", "message.timestamp.difference.max.ms")
    retained = int(settings.get("retention.ms", -1)) if deletes else -1
    return Ages(
        retained=retained if retained >= 0 else UNLIMITED,
        accepted=min(
            (int(settings[name]) for name in names if name in settings), default=UNLIMITED
        ),
    )


def warning(target: str, limits: Ages, old: int, requested: int) -> str:
    """Return the message that ``old`` of the ``requested`` records are too old for ``target``."""
    share = f"{old:,} of {requested:,} records ({old / requested:.0%})"
    limit = duration(limits.smallest)
    if limits.accepted <= limits.retained:
        effect = f"the {limit} that {target} accepts: its brokers reject them"
    else:
        effect = (
            f"the {limit} that {target} retains (retention.ms): Kafka can delete them "
            "minutes after it acknowledges them"
        )
    return f"warning: {share} are older than {effect}"


def duration(milliseconds: int) -> str:
    """Return a duration in its largest unit that divides it, such as ``36 h``."""
    for size, unit in UNITS:
        if milliseconds >= size and milliseconds % size == 0:
            return f"{milliseconds // size:,} {unit}"
    return f"{milliseconds:,} ms"
