# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Problems of pipelines, from the state that their drivers serve; no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .platform_problem import Problem

GOOD = ("running", "active")
# Share of invalid records in the last minutes that is a problem, and the smallest number of them.
INVALID_SHARE, INVALID_RECORDS = 0.05, 10
# A batch is a problem if it runs for so many seconds, and longer than so many times as planned.
BATCH_S, BATCH_FACTOR = 120, 3


def instance(name: str) -> str:
    """Return the name of a driver's instance."""
    return f"pipeline-{name}"


def place(labels: Mapping[str, str]) -> str:
    """Return the instance of a pipeline in the labels of a series; empty without one."""
    return instance(labels["pipeline"]) if labels.get("pipeline") else ""


def first_line(text: object) -> str:
    """Return the first line of an error."""
    lines = str(text or "").strip().splitlines()
    return lines[0] if lines else ""


def unreachable(name: str, reason: str = "") -> Problem:
    """Return the problem of a pipeline whose driver does not respond."""
    text = f"pipeline {name} does not respond"
    return Problem(
        "PipelineDown", instance(name), f"{text}: {reason}" if reason else text, logs(name)
    )


def logs(name: str) -> str:
    """Return the command that shows the log of a driver."""
    return f"make logs S={instance(name)}"


def problems(name: str, state: Mapping[str, Any] | None, reason: str = "") -> list[Problem]:
    """Return the problems of a pipeline; ``state`` is None, for a ``reason``, without a response.

    ``state`` is the JSON of the driver's /status: ``state``, ``last_error`` and ``failed_starts``,
    ``declaration_error``, ``outputs`` by name with ``exception``, ``lag``, ``running_seconds``,
    ``planned_seconds`` and, of an archive, ``archive`` (``missing``, ``first``), and
    ``records`` with ``reason`` and counts of the ``recent`` minutes (``read``, ``invalid``).
    """
    if state is None:
        return [unreachable(name, reason)]
    where, found = instance(name), []
    phase = str(state.get("state", "unknown"))
    outputs = {
        output: first_line(status.get("exception"))
        for output, status in (state.get("outputs") or {}).items()
    }
    failing = {output: text for output, text in outputs.items() if text}
    if phase.lower() not in GOOD and not (phase == "failing" and failing):
        text = f"pipeline {name} is {phase}"
        failed = int(state.get("failed_starts") or 0)
        if failed:
            text += f" after {failed} failed start{'s' if failed > 1 else ''}"
        if error := first_line(state.get("last_error")):
            text += f": {error}"
        found.append(Problem("PipelineDown", where, text, logs(name)))
    found += [
        _failing(name, [output for output, each in failing.items() if each == text], text)
        for text in dict.fromkeys(failing.values())
    ]
    # All of it, as the end has what is allowed; errors of YAML have several lines.
    if error := " ".join(str(state.get("declaration_error") or "").split()):
        text = f"pipeline {name} does not run the declaration in its file: {error}"
        found.append(Problem("PipelineChangeRefused", where, text))
    found += _long_batches(name, state.get("outputs") or {})
    found += _invalid(name, state.get("records") or {})
    return [*found, *_archives(name, state.get("outputs") or {})]


def _failing(name: str, outputs: Sequence[str], text: str) -> Problem:
    """Return the problem that outputs have for the same reason."""
    noun = "output" if len(outputs) == 1 else "outputs"
    text = f"pipeline {name}, {noun} {', '.join(outputs)}: {text}"
    return Problem("PipelineFailing", instance(name), text, logs(name))


def _long_batches(name: str, outputs: Mapping[str, Any]) -> list[Problem]:
    """Return one problem for all outputs whose batch does not end."""
    long = {
        output: status
        for output, status in outputs.items()
        if _is_long(status) and not first_line(status.get("exception"))
    }
    if not long:
        return []
    seconds = max(int(each["running_seconds"]) for each in long.values())
    text = f"a batch has run for {seconds} s"
    # Outputs of a pipeline wait for the same records.
    if lag := max(int(each.get("lag") or 0) for each in long.values()):
        text += f", and {lag:,} records wait"
    return [_failing(name, [*long], text)]


def _is_long(status: Mapping[str, Any]) -> bool:
    """Whether the batch that an output runs now takes much longer than planned."""
    planned = int(status.get("planned_seconds") or 0)
    return int(status.get("running_seconds") or 0) >= max(BATCH_S, BATCH_FACTOR * planned)


def _invalid(name: str, records: Mapping[str, Any]) -> list[Problem]:
    """Return the problem of a pipeline that accepts few of its records."""
    recent = records.get("recent") or {}
    read, invalid = int(recent.get("read") or 0), int(recent.get("invalid") or 0)
    if invalid < INVALID_RECORDS or invalid <= INVALID_SHARE * read:
        return []
    text = f"pipeline {name}: {invalid:,} of the last {read:,} records are invalid"
    if reason := first_line(records.get("reason")):
        text += f": {reason}"
    return [Problem("PipelineInvalid", instance(name), text)]


def _archives(name: str, outputs: Mapping[str, Any]) -> list[Problem]:
    """Return the problem of each archive that lacks finished files."""
    found = []
    for output, status in outputs.items():
        archive = status.get("archive") or {}
        if missing := int(archive.get("missing") or 0):
            text = (
                f"pipeline {name}, output {output}: {missing:,} finished files are missing, "
                f"first {archive.get('first')}"
            )
            found.append(Problem("ArchiveIncomplete", instance(name), text))
    return found
