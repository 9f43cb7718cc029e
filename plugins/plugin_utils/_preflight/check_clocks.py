# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Clocks of machines, compared with the control node's time before and after each reading."""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.problem import Problem, advice, join_names, note
from .._site.site_model import Site

STANDARD_OFFSET = 1.0


def clock_limit(site: Site) -> Iterator[Problem]:
    """The limit of clock differences is a number of seconds."""
    for machine in site.members("metal"):
        value = site.value(machine, "preflight_clock_offset", STANDARD_OFFSET)
        if _seconds(value) is None:
            yield Problem(machine, "preflight_clock_offset", repr(value), "seconds, such as 0.5")


def _seconds(value: object) -> float | None:
    try:
        found = float(str(value))
    except ValueError:
        return None
    return found if 0 < found < 86400 else None


def _limit(site: Site) -> float:
    own = (site.value(m, "preflight_clock_offset", STANDARD_OFFSET) for m in site.members("metal"))
    return min((s for s in map(_seconds, own) if s is not None), default=STANDARD_OFFSET)


def _offsets(site: Site) -> dict[str, tuple[float, float]]:
    """Least and greatest difference to the control node's clock in seconds, by machine."""
    found = {}
    for machine, facts in site.facts.items():
        if "clock" in facts and "control_node_time" in facts:
            time, control = facts["clock"]["time"], facts["control_node_time"]
            found[machine] = (time - control["after"], time - control["before"])
    return found


def clocks_agree(site: Site) -> Iterator[Problem]:
    """Clocks differ by less than the limit; for the control node's clock this is a note."""
    offsets, limit = _offsets(site), _limit(site)
    if not offsets:
        return
    allowed = f"at most {limit:g} s (preflight_clock_offset): time synchronisation on every machine"
    # The median clock counts as right, since most machines agree.
    middle = sorted(offsets.values())[(len(offsets) - 1) // 2]
    far = set()
    for machine, (least, greatest) in offsets.items():
        # The difference is at least the gap between the two intervals.
        apart = max(least - middle[1], middle[0] - greatest)
        if apart > limit:
            far.add(machine)
            ahead = "ahead of" if least > middle[1] else "behind"
            yield Problem(
                machine, "clock", f"at least {apart:.1f} s {ahead} the other machines", allowed
            )
    ours = max(middle[0], -middle[1])
    if ours > limit:
        others = join_names(set(offsets) - far)
        yield advice(
            "all", "clock", f"at least {ours:.1f} s between the control node and {others}", allowed
        )


def clocks_synchronised(site: Site) -> Iterator[Problem]:
    """The clock of every machine is synchronised."""
    states = {
        machine: facts["clock"]["synchronised"]
        for machine, facts in site.facts.items()
        if "clock" in facts
    }
    unsynchronised = [machine for machine, state in states.items() if state is False]
    unknown = [machine for machine, state in states.items() if state is None]
    if unsynchronised:
        yield advice(
            "metal",
            "clock",
            f"not synchronised on {join_names(unsynchronised)}, according to the kernel",
            "chrony or systemd-timesyncd: retention and windows depend on timestamps",
        )
    if unknown:
        yield note(join_names(unknown), "clock synchronisation", "the kernel does not report it")
