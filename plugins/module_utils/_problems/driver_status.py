# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The state in the response of a pipeline's driver, or why it has none; no I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

# Characters of a value in a message.
LONGEST = 60
OBJECT = "an object of JSON"


def read_state(body: Any, name: str, error: str = "") -> tuple[dict[str, Any] | None, str]:
    """Return the state in the JSON of a /status; None, and the reason, if it is of no driver.

    ``name``: the pipeline whose driver should respond. ``error``: why there is no response.
    """
    if error:
        return None, error
    if fault := status_fault(body):
        return None, f"the response is no status of a driver: {fault}"
    if body["name"] != name:
        return None, f"its port is used by the driver of {body['name']}"
    return body, ""


def state_in_response(response: Mapping[str, Any], name: str) -> tuple[dict[str, Any] | None, str]:
    """Return what read_state does, for a response of M(metal.kafka.web_info)."""
    return read_state(response.get("json"), name, str(response.get("error") or ""))


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
        yield "status", body, OBJECT
        return
    for name in ("name", "state"):
        if not isinstance(body.get(name), str):
            yield name, body.get(name), "a text"
    yield from _numbers(body, "", "failed_starts")
    outputs = body.get("outputs")
    if not isinstance(outputs, Mapping):
        yield "outputs", outputs, OBJECT
        return
    for name, output in outputs.items():
        if isinstance(output, Mapping):
            yield from _numbers(
                output, f"outputs.{name}.", "restarts", "lag", "running_seconds", "planned_seconds"
            )
            yield from _part(output, f"outputs.{name}.", "archive", "missing")
        else:
            yield f"outputs.{name}", output, OBJECT
    yield from _part(body, "", "records")
    if isinstance(body.get("records"), Mapping):
        yield from _part(body["records"], "records.", "recent", "read", "invalid")


def _part(
    found: Mapping[str, object], place: str, name: str, *numbers: str
) -> Iterator[tuple[str, object, str]]:
    """Faults of a part that is absent, or an object with ``numbers``."""
    part = found.get(name)
    if isinstance(part, Mapping):
        yield from _numbers(part, f"{place}{name}.", *numbers)
    elif part is not None:
        yield f"{place}{name}", part, OBJECT


def _numbers(
    found: Mapping[str, object], place: str, *names: str
) -> Iterator[tuple[str, object, str]]:
    """Faults of values that are absent, or numbers."""
    for name in names:
        value = found.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            yield f"{place}{name}", value, "a number"
