# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The clock: a time service synchronizes it and steps it only at boot. Read only."""

from __future__ import annotations

from .host_access import Host
from .setting import Findings, Row, Spec

SYNCHRONISED = "clock.synchronised"
STEPS = "clock.steps"

# Process names, which the kernel cuts at 15 characters.
SERVICES = {"chronyd": "chrony", "ntpd": "ntpd", "systemd-timesyn": "systemd-timesyncd"}
CHRONY = ("/etc/chrony/chrony.conf", "/etc/chrony.conf")
CHRONY_FOLDER = "/etc/chrony/conf.d"


def makestep(text: str) -> str | None:
    """Return the last makestep of a chrony configuration: its threshold and number of updates."""
    found = None
    for line in text.splitlines():
        fields = line.split()
        if fields and fields[0].lower() == "makestep":
            found = " ".join(fields[1:])
    return found


def steps(host: Host, service: str) -> tuple[bool, str]:
    """Return whether the time service never steps a running clock, and its rule as text."""
    if service == "chrony":
        files = [*CHRONY, *(f"{CHRONY_FOLDER}/{n}" for n in host.names(CHRONY_FOLDER))]
        rule = makestep("\n".join(host.read(file) or "" for file in files))
        if rule is None:
            return True, "chrony never"
        return not rule.split()[-1].startswith("-"), f"chrony makestep {rule}"
    if service == "ntpd":
        return False, "ntpd above 0.128 s"
    return False, "timesyncd above 0.4 s"


def inspect(host: Host, specs: list[Spec]) -> Findings:
    """Return the state of the clock, and when its time service steps it."""
    found, wanted = Findings(), {spec.name: spec for spec in specs}
    running = {SERVICES[name] for _, name in host.processes() if name in SERVICES}
    service = min(running, default="")
    # The clock of a container is that of its host, whose time service is not visible here.
    foreign = host.in_container() and not service
    excuse = "a container uses the clock of its host" if foreign else ""
    if SYNCHRONISED in wanted:
        synchronised, error = host.clock()
        row = Row(SYNCHRONISED, "yes", "", "yes" if synchronised else "no")
        row.live_ok, row.reason = synchronised, wanted[SYNCHRONISED].reason
        row.refused = "" if synchronised else excuse
        if not synchronised:
            row.detail = excuse or f"the clock is not synchronized, error up to {error:.1f} s"
        found.rows.append(row)
    if STEPS in wanted:
        good, live = steps(host, service) if service else (False, "no time service")
        row = Row(STEPS, "at boot only", "", live, wanted[STEPS].reason, live_ok=good)
        row.refused = excuse
        if not good:
            row.detail = excuse or "chrony with 'makestep 1 3' steps at its start, then slews"
        found.rows.append(row)
    return found
