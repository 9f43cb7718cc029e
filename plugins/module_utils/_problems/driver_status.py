# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The state in the response of a pipeline's driver, or why it has none; no I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .json_faults import OBJECT, Fault, first_fault, numbers, required_numbers, texts, times


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
    return first_fault(_faults(body))


def _faults(body: object) -> Iterator[Fault]:
    """Yield all faults of a status."""
    if not isinstance(body, Mapping):
        yield "status", body, OBJECT
        return
    yield from texts(body, "", "name", "state")
    yield from numbers(body, "", "failed_starts")
    outputs = body.get("outputs")
    if not isinstance(outputs, Mapping):
        yield "outputs", outputs, OBJECT
        return
    for name, output in outputs.items():
        # In labels of metrics.
        if not name.isprintable():
            yield "outputs", name, "printable names"
        elif isinstance(output, Mapping):
            place = f"outputs.{name}."
            yield from numbers(output, place, "restarts", "lag", "running_seconds")
            yield from numbers(output, place, "planned_seconds", "batch_seconds", "rows_per_second")
            yield from times(output, place, "updated", "failed_at")
            yield from _part(output, place, "archive", "files", "missing")
        else:
            yield f"outputs.{name}", output, OBJECT
    yield from _part(body, "", "records", "read", "invalid")
    if isinstance(body.get("records"), Mapping):
        yield from _part(body["records"], "records.", "recent", "read", "invalid")


def _part(found: Mapping[str, object], place: str, name: str, *names: str) -> Iterator[Fault]:
    """Yield the faults of a part that is absent, or an object with numbers of these ``names``."""
    part = found.get(name)
    if isinstance(part, Mapping):
        yield from required_numbers(part, f"{place}{name}.", *names)
    elif part is not None:
        yield f"{place}{name}", part, OBJECT
