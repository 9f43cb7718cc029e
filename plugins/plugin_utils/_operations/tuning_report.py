# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The output of `make verify`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...module_utils._host.tuning.setting import ABSENT, DRIFT, NOT_ALLOWED

COLUMNS = ("setting", "wanted", "persisted", "live", "result")
# Widest columns, so that five fit into 110 characters; longer names get their own line.
WIDEST = (34, 21, 21, 21, 11)
# For secrets older than the release that ended the last exposure of secrets.
EXPOSED = "could be read by others in an earlier release; required: a new one, by make rotate"
OPEN_ENSEMBLE = "verify: the metadata ensemble grants more access than declared"
RESULTS = {NOT_ALLOWED: "not allowed"}


def lines(host: str, rows: Sequence[Mapping[str, str]], enforced: bool = True) -> list[str]:
    """Return the lines of one host: a row per setting, with the reason below a deviating one."""
    cells = [[*_values(row)] for row in rows]
    table = [list(COLUMNS), *cells]
    widths = [min(most, max(len(r[i]) for r in table)) for i, most in enumerate(WIDEST)]
    text = [summary(host, rows, enforced), _line(list(COLUMNS), widths)]
    for row, cell in zip(rows, cells, strict=True):
        if len(cell[0]) > widths[0]:
            text.append(f"  {cell[0]}")
            cell = ["", *cell[1:]]
        text.append(_line(cell, widths))
        if row["state"] in (DRIFT, NOT_ALLOWED, ABSENT) and row.get("detail"):
            text.append(f"    {row['detail']}")
    return text


def _values(row: Mapping[str, str]) -> Sequence[str]:
    """Return the cells of one row; empty values as a dash."""
    result = RESULTS.get(row["state"], row["state"])
    return (row["name"], *(row[k] or "-" for k in ("wanted", "persisted", "live")), result)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return one line of padded cells."""
    padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
    return "  " + "  ".join(padded).rstrip()


def summary(host: str, rows: Sequence[Mapping[str, str]], enforced: bool) -> str:
    """Return the summary line of a host."""
    count = {state: sum(row["state"] == state for row in rows) for state in (DRIFT, NOT_ALLOWED)}
    if not enforced:
        return f"{host}: {count[DRIFT]} of {len(rows)} differ; advice: host_tuning_mode is report"
    differ = f"{count[DRIFT]} differ" if count[DRIFT] else "no drift"
    refused = f"; {count[NOT_ALLOWED]} not allowed here" if count[NOT_ALLOWED] else ""
    return f"{host}: {len(rows)} settings, {differ}{refused}"


def verify(
    hosts: Mapping[str, Mapping[str, Any]],
    secrets: Sequence[str] = (),
    ensemble: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the output as ``text``, and ``drift``: messages on enforced settings that differ.

    ``hosts`` maps names to C(settings) and C(enforced). ``secrets`` must be rotated, ``ensemble``
    has messages on undeclared access to the metadata service: both count as drift.
    """
    text, drift = [], []
    for host, found in hosts.items():
        text += [*lines(host, found["settings"], found["enforced"]), ""]
        if found["enforced"]:
            drift += [
                f"{host}: {row['name']}: wanted {row['wanted']}, persisted "
                f"{row['persisted'] or 'nothing'}, live {row['live'] or 'nothing'}"
                for row in found["settings"]
                if row["state"] == DRIFT
            ]
    advice = sum(
        row["state"] == DRIFT
        for found in hosts.values()
        if not found["enforced"]
        for row in found["settings"]
    )
    uncounted = f"; {advice} setting(s) differ on hosts in mode report, not counted"
    result = [
        (f"verify: {len(drift)} setting(s) drifted" if drift else "verify: no drift")
        + (uncounted if advice else "")
    ]
    if secrets:
        result += [f"verify: {len(secrets)} secret(s) {EXPOSED}", *(f"  {one}" for one in secrets)]
        drift += [f"{one}: {EXPOSED}" for one in secrets]
    if ensemble:
        result += [OPEN_ENSEMBLE, *(f"  {one}" for one in ensemble)]
        drift += ensemble
    return {"text": "\n".join([*text, *result]) + "\n", "drift": drift}
