# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Check of the status that a pipeline's driver serves; no I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

# Characters of a value in a message.
LONGEST = 60


def status_fault(body: object) -> str:
    """Return what is wrong with the JSON of a driver's /status; empty if it is valid.

    Other programs may listen on the port of a driver.
    """
    for where, found, allowed in _faults(body):
        text = "nothing" if found is None else repr(found)
        return f"{where}: found {text[:LONGEST]}; allowed: {allowed}"
    return ""


def _faults(body: object) -> Iterator[tuple[str, object, str]]:
    """Places of invalid values, the values, and what is allowed."""
    if not isinstance(body, Mapping):
        yield "status", body, "an object of JSON"
        return
    for name in ("name", "state"):
        if not isinstance(body.get(name), str):
            yield name, body.get(name), "a text"
    if not _is_count(body.get("failed_starts")):
        yield "failed_starts", body["failed_starts"], "a number"
    outputs = body.get("outputs")
    if not isinstance(outputs, Mapping):
        yield "outputs", outputs, "an object of JSON"
        return
    for name, output in outputs.items():
        if not isinstance(output, Mapping):
            yield f"outputs.{name}", output, "an object of JSON"
        elif not _is_count(output.get("restarts")):
            yield f"outputs.{name}.restarts", output["restarts"], "a number"


def _is_count(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool))
