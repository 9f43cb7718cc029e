# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Look at a host, write what differs, look again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from . import block_devices, clock, engine_limits, hugepages, swap, sysctl
from .desired_settings import bounded
from .host_access import Host
from .setting import ABSENT, CHANGED, DRIFT, NOT_ALLOWED, OK, Look, Row, Spec


@dataclass
class Outcome:
    """Rows with their states, what was (or would be) done, and the files that differ."""

    settings: list[dict[str, Any]] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    diff: list[dict[str, str]] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)


def look(host: Host, specs: list[Spec], paths: list[str]) -> Look:
    """All kinds of settings, in the order of the table of the docs."""

    def of(prefix: str) -> list[Spec]:
        return [spec for spec in bound if spec.name.startswith(prefix)]

    bound = [bounded(spec, host.memory()) for spec in specs]
    special = (
        hugepages.PREFIX,
        block_devices.PREFIX,
        block_devices.MOUNT_OPTIONS,
        engine_limits.PREFIX,
        "clock.",
    )
    parameters = [w for w in bound if not w.name.startswith(special) and w.name != swap.NAME]
    looks = (
        sysctl.look(host, parameters),
        hugepages.look(host, of(hugepages.PREFIX)),
        block_devices.look(host, of(block_devices.PREFIX), paths),
        block_devices.look_at_mounts(host, of(block_devices.MOUNT_OPTIONS), paths),
        engine_limits.look(host, of(engine_limits.PREFIX)),
        swap.look(host, of(swap.NAME)),
        clock.look(host, of("clock.")),
    )
    found = Look()
    for each in looks:
        found.rows += each.rows
        found.files.update(each.files)
    return found


def report(host: Host, specs: list[Spec], paths: list[str]) -> Outcome:
    """Say how the host is; change nothing."""
    found = look(host, specs, paths)
    return Outcome([told(row, state(row)) for row in found.rows] + _edited(host, found))


def tune(host: Host, specs: list[Spec], paths: list[str], check: bool = False) -> Outcome:
    """Bring the host to the specs, or say what that would do."""
    before = look(host, specs, paths)
    outcome = Outcome(diff=_differing(host, before))
    outcome.steps = _steps(before, outcome.diff)
    if not check:
        for entry in outcome.diff:
            host.replace(entry["after_header"], before.files[entry["after_header"]])
        if any("/systemd/system/" in entry["after_header"] for entry in outcome.diff):
            host.units_changed()
        for row in before.rows:
            if row.to_apply() and row.apply is not None:
                try:
                    row.apply()
                except OSError as error:
                    outcome.errors[row.name] = f"{error.strerror or error}"
        # What could not be done is no step: the next run says the same, and changes nothing.
        failed = {_live_step(row) for row in before.rows if row.name in outcome.errors}
        outcome.steps = [step for step in outcome.steps if step not in failed]
    after = before if check else look(host, specs, paths)
    for row in after.rows:
        if row.name in outcome.errors and not row.live_ok:
            row.refused = outcome.errors[row.name]
    earlier = {row.name: row for row in before.rows}
    for now in after.rows:
        was = earlier.get(now.name, now)
        row = _foreseen(was) if check else now
        touched = not was.written or was.to_apply()
        outcome.settings.append(told(row, CHANGED if touched and row.good else state(row)))
    return outcome


def _foreseen(row: Row) -> Row:
    """The row as it will be when our files and the live value are written."""
    return replace(
        row,
        persisted_ok=row.persisted_ok or not row.written,
        live_ok=row.live_ok or row.to_apply(),
    )


def state(row: Row) -> str:
    """The result on a row that nobody is about to change."""
    if not row.persisted_ok:
        return DRIFT
    if row.absent:
        return ABSENT
    if row.live_ok:
        return OK
    return NOT_ALLOWED if row.refused else DRIFT


def told(row: Row, result: str) -> dict[str, Any]:
    """A row as the module returns it."""
    return {
        "name": row.name,
        "wanted": row.wanted,
        "persisted": row.persisted,
        "live": row.live,
        "state": result,
        "reason": row.reason,
        "detail": row.refused if result == NOT_ALLOWED and row.refused else row.detail,
    }


def _differing(host: Host, found: Look) -> list[dict[str, str]]:
    """Files of ours whose text is not what it should be, as a diff."""
    differing = []
    for path, text in found.files.items():
        there = host.read(path)
        if there != text:
            headers = {"before_header": path, "after_header": path}
            differing.append({"before": there or "", "after": text or "", **headers})
    return differing


def _steps(found: Look, differing: list[dict[str, str]]) -> list[str]:
    """Messages on what is done, the same in check mode."""
    steps = []
    for row in found.rows:
        if not row.written:
            was = f", was {row.persisted}" if row.persisted else ""
            steps.append(f"{row.name} is persisted as {row.wanted}{was}")
        if row.to_apply():
            steps.append(_live_step(row))
    if differing and all(row.written for row in found.rows):
        steps += [f"{entry['after_header']} is written" for entry in differing]
    return steps


def _live_step(row: Row) -> str:
    """The sentence on a live value."""
    return f"{row.name} becomes {row.wanted}" + (f", was {row.live}" if row.live else "")


def _edited(host: Host, found: Look) -> list[dict[str, Any]]:
    """Rows for our files that differ though every value in them is right."""
    if not all(row.written for row in found.rows):
        return []
    return [
        told(
            Row(
                name=entry["after_header"],
                wanted="as written",
                persisted="edited" if entry["before"] else "missing",
                live="",
                detail="the next converge writes it again",
            ),
            DRIFT,
        )
        for entry in _differing(host, found)
    ]
