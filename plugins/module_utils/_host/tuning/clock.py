# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The clock: kept by a time service, which steps it at boot and never later. Only looked at."""

from __future__ import annotations

from .host_access import Host
from .setting import Look, Row, Spec

SYNCHRONISED = "clock.synchronised"
STEPS = "clock.steps"

# Names of processes as the kernel cuts them.
SERVICES = {"chronyd": "chrony", "ntpd": "ntpd", "systemd-timesyn": "systemd-timesyncd"}
CHRONY = ("/etc/chrony/chrony.conf", "/etc/chrony.conf")
CHRONY_FOLDER = "/etc/chrony/conf.d"


def makestep(text: str) -> str | None:
    """The last makestep of a chrony configuration: its threshold and number of updates."""
    found = None
    for line in text.splitlines():
        words = line.split()
        if words and words[0].lower() == "makestep":
            found = " ".join(words[1:])
    return found


def steps(host: Host, service: str) -> tuple[bool, str]:
    """Whether the time service never steps a running clock, and what it does."""
    if service == "chrony":
        files = [*CHRONY, *(f"{CHRONY_FOLDER}/{n}" for n in host.names(CHRONY_FOLDER))]
        rule = makestep("\n".join(host.read(file) or "" for file in files))
        if rule is None:
            return True, "chrony never"
        return not rule.split()[-1].startswith("-"), f"chrony makestep {rule}"
    if service == "ntpd":
        return False, "ntpd above 0.128 s"
    return False, "timesyncd above 0.4 s"


def look(host: Host, specs: list[Spec]) -> Look:
    """State of the clock, and what its service would do to it."""
    found, wanted = Look(), {spec.name: spec for spec in specs}
    running = {SERVICES[name] for _, name in host.processes() if name in SERVICES}
    service = min(running, default="")
    # Another machine keeps the clock of a container, where nobody can see how.
    foreign = host.in_container() and not service
    excuse = "a container has the clock of the machine below" if foreign else ""
    if SYNCHRONISED in wanted:
        synchronised, error = host.clock()
        row = Row(SYNCHRONISED, "yes", "", "yes" if synchronised else "no")
        row.live_ok, row.reason = synchronised, wanted[SYNCHRONISED].reason
        row.refused = "" if synchronised else excuse
        if not synchronised:
            row.detail = excuse or f"nobody keeps the kernel's clock, error up to {error:.1f} s"
        found.rows.append(row)
    if STEPS in wanted:
        good, live = steps(host, service) if service else (False, "no time service")
        row = Row(STEPS, "at boot only", "", live, wanted[STEPS].reason, live_ok=good)
        row.refused = excuse
        if not good:
            row.detail = excuse or "chrony with 'makestep 1 3' steps at its start and slews later"
        found.rows.append(row)
    return found
