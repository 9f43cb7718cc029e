# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Inspect a host, write settings that differ, inspect it again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from . import block_devices, clock, engine_limits, hugepages, swap, sysctl
from .desired_settings import limit_to_memory
from .host_access import Host
from .setting import ABSENT, CHANGED, DRIFT, NOT_ALLOWED, OK, Findings, Row, Spec


@dataclass
class Outcome:
    """Rows with their states, the steps taken (or planned in check mode), and changed files."""

    settings: list[dict[str, Any]] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    diff: list[dict[str, str]] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)


def inspect(host: Host, specs: list[Spec], paths: list[str]) -> Findings:
    """Inspect all kinds of settings, in the order of the table in the documentation."""

    def of(prefix: str) -> list[Spec]:
        return [spec for spec in bound if spec.name.startswith(prefix)]

    bound = [limit_to_memory(spec, host.memory()) for spec in specs]
    special = (
        hugepages.PREFIX,
        block_devices.PREFIX,
        block_devices.MOUNT_OPTIONS,
        engine_limits.PREFIX,
        "clock.",
    )
    parameters = [w for w in bound if not w.name.startswith(special) and w.name != swap.NAME]
    kinds = (
        sysctl.inspect(host, parameters),
        hugepages.inspect(host, of(hugepages.PREFIX)),
        block_devices.inspect(host, of(block_devices.PREFIX), paths),
        block_devices.inspect_mounts(host, of(block_devices.MOUNT_OPTIONS), paths),
        engine_limits.inspect(host, of(engine_limits.PREFIX)),
        swap.inspect(host, of(swap.NAME)),
        clock.inspect(host, of("clock.")),
    )
    found = Findings()
    for each in kinds:
        found.rows += each.rows
        found.files.update(each.files)
    return found


def report(host: Host, specs: list[Spec], paths: list[str]) -> Outcome:
    """Report the state of the host; change nothing."""
    found = inspect(host, specs, paths)
    return Outcome(
        [as_result(row, state(row)) for row in found.rows] + _edited_file_rows(host, found)
    )


def tune(host: Host, specs: list[Spec], paths: list[str], check: bool = False) -> Outcome:
    """Apply the specs to the host; in check mode only report the steps."""
    before = inspect(host, specs, paths)
    outcome = Outcome(diff=_file_diffs(host, before))
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
        # A failed change is no step: a run that changes nothing must report no steps.
        failed = {_live_step(row) for row in before.rows if row.name in outcome.errors}
        outcome.steps = [step for step in outcome.steps if step not in failed]
    after = before if check else inspect(host, specs, paths)
    for row in after.rows:
        if row.name in outcome.errors and not row.live_ok:
            row.refused = outcome.errors[row.name]
    earlier = {row.name: row for row in before.rows}
    for now in after.rows:
        was = earlier.get(now.name, now)
        row = _row_after_changes(was) if check else now
        touched = not was.written or was.to_apply()
        outcome.settings.append(as_result(row, CHANGED if touched and row.good else state(row)))
    return outcome


def _row_after_changes(row: Row) -> Row:
    """Return the row as it will be after files and live value are written."""
    return replace(
        row,
        persisted_ok=row.persisted_ok or not row.written,
        live_ok=row.live_ok or row.to_apply(),
    )


def state(row: Row) -> str:
    """Return the state of a row that is not changed."""
    if not row.persisted_ok:
        return DRIFT
    if row.absent:
        return ABSENT
    if row.live_ok:
        return OK
    return NOT_ALLOWED if row.refused else DRIFT


def as_result(row: Row, result: str) -> dict[str, Any]:
    """Return a row as the module's result."""
    return {
        "name": row.name,
        "wanted": row.wanted,
        "persisted": row.persisted,
        "live": row.live,
        "state": result,
        "reason": row.reason,
        "detail": row.refused if result == NOT_ALLOWED and row.refused else row.detail,
    }


def _file_diffs(host: Host, found: Findings) -> list[dict[str, str]]:
    """Return kafka-metal's files that differ from their desired text, as diffs."""
    differing = []
    for path, text in found.files.items():
        found_text = host.read(path)
        if found_text != text:
            headers = {"before_header": path, "after_header": path}
            differing.append({"before": found_text or "", "after": text or "", **headers})
    return differing


def _steps(found: Findings, differing: list[dict[str, str]]) -> list[str]:
    """Return one message per change, the same in check mode."""
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
    """Return the message on the change of a live value."""
    return f"{row.name} becomes {row.wanted}" + (f", was {row.live}" if row.live else "")


def _edited_file_rows(host: Host, found: Findings) -> list[dict[str, Any]]:
    """Return rows for kafka-metal's files that differ although every value in them is right."""
    if not all(row.written for row in found.rows):
        return []
    return [
        as_result(
            Row(
                name=entry["after_header"],
                wanted="as written",
                persisted="edited" if entry["before"] else "missing",
                live="",
                detail="the next run writes it again",
            ),
            DRIFT,
        )
        for entry in _file_diffs(host, found)
    ]
