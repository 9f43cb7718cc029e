# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Limits of the engine's processes, which containers without own limits inherit."""

from __future__ import annotations

import resource
from functools import partial

from .host_access import Host
from .setting import AT_LEAST, Findings, Row, Spec, comment, satisfies

PREFIX = "limits."
UNITS = {"docker": "dockerd", "containerd": "containerd"}
SECURITY = "/etc/security/limits.d/90-kafka-metal.conf"
HEADER = "# Written by kafka-metal. See docs/operate/guides/tuning.md\n"

# By setting: name in /proc/PID/limits, resource for prlimit, directive of systemd.
KINDS = {
    "nofile": ("Max open files", resource.RLIMIT_NOFILE, "LimitNOFILE"),
    "nproc": ("Max processes", resource.RLIMIT_NPROC, "LimitNPROC"),
}
UNLIMITED = 2**63 - 1
# Usual hard limit of engines; the drop-in never lowers it.
LEAST_HARD = 1048576


def drop_in(unit: str) -> str:
    """Return the path of kafka-metal's drop-in for a unit."""
    return f"/etc/systemd/system/{unit}.service.d/90-kafka-metal.conf"


def hard_limit(limits: str, title: str) -> int | None:
    """Return the hard limit named ``title`` in the text of /proc/PID/limits."""
    for line in limits.splitlines():
        if line.startswith(title):
            value = line[len(title) :].split()[1]
            return UNLIMITED if value == "unlimited" else int(value)
    return None


def limit_text(value: int | None) -> str:
    """Return a limit as text; empty for None."""
    return "" if value is None else "unlimited" if value >= UNLIMITED else str(value)


def inspect(host: Host, specs: list[Spec]) -> Findings:
    """Compare the live limits of dockerd and containerd, and those set at boot, with the specs."""
    found = Findings()
    running = [pid for pid, name in host.processes() if name in UNITS.values()]
    files = [drop_in(unit) for unit in UNITS] if host.systemd() else [SECURITY]
    text = (units if host.systemd() else security)(specs) if specs else None
    for spec in specs:
        title, kind, _ = KINDS[spec.name[len(PREFIX) :]]
        values = [hard_limit(host.read(f"/proc/{pid}/limits") or "", title) for pid in running]
        least = min((v for v in values if v is not None), default=None)
        line = _line(spec, host.systemd())
        written = [line in (host.read(file) or "").splitlines() for file in files]
        row = Row(
            spec.name,
            spec.value,
            line.rpartition("=")[2] if all(written) else "",
            limit_text(least),
        )
        row.reason = spec.reason
        row.written = row.persisted_ok = all(written)
        row.live_ok = least is None or least >= int(spec.value)
        if not running:
            row.detail = "the engine does not run; it will start with these limits"
        elif not row.live_ok and not host.may_raise_limits():
            row.refused = f"Operation not permitted: the hard limit here is {limit_text(least)}"
        row.apply = partial(_raise, host, running, kind, int(spec.value))
        _conflict(host, row, spec)
        found.rows.append(row)
    found.files.update(dict.fromkeys(files, text))
    return found


def _raise(host: Host, running: list[int], kind: int, wanted: int) -> None:
    """Raise the limit of running processes; containers started later inherit it."""
    for pid in running:
        host.set_limit(pid, kind, wanted, max(wanted, LEAST_HARD))


def _line(spec: Spec, systemd: bool) -> str:
    """Return the line that sets a limit at boot."""
    name = spec.name[len(PREFIX) :]
    if not systemd:
        return f"root - {name} {spec.value}"
    # Units of engines do not limit processes, so the hard limit stays infinite.
    hard = max(int(spec.value), LEAST_HARD) if name == "nofile" else "infinity"
    return f"{KINDS[name][2]}={spec.value if name == 'nofile' else hard}:{hard}"


def units(specs: list[Spec]) -> str:
    """Return the text of the systemd drop-in."""
    lines = [f"{comment(spec.reason)}{_line(spec, True)}\n" for spec in specs]
    return HEADER + "[Service]\n" + "".join(lines)


def security(specs: list[Spec]) -> str:
    """Return the text of the file for pam_limits, for machines without systemd."""
    lines = [f"{comment(spec.reason)}{_line(spec, False)}\n" for spec in specs]
    return HEADER + "".join(lines)


def _conflict(host: Host, row: Row, spec: Spec) -> None:
    """Name a drop-in that is read after kafka-metal's and sets a lower limit."""
    directive = KINDS[spec.name[len(PREFIX) :]][2]
    for unit in UNITS if host.systemd() else ():
        folder = f"/etc/systemd/system/{unit}.service.d"
        for name in host.names(folder):
            if not name.endswith(".conf") or name <= "90-kafka-metal.conf":
                continue
            for line in (host.read(f"{folder}/{name}") or "").splitlines():
                key, _, value = line.strip().partition("=")
                hard = value.split(":")[-1].replace("infinity", str(UNLIMITED))
                if key == directive and not satisfies(hard, spec.value, AT_LEAST):
                    row.persisted_ok = False
                    row.detail = f"{folder}/{name} is read later and sets {line.strip()}"
