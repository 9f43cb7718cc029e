# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter for the report on compared replicas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..module_utils._problems.messages import shorten_list


def lines_of(broker: str, found: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines for one broker; C(found) is its result of C(replica_equality)."""
    if "compared" not in found:
        yield f"{broker}: not compared: {found.get('msg') or 'no response'}"
        return
    yield f"{broker}: {len(found['compared'])} replicas are equal to another one"
    for difference in found["different"]:
        yield f"{broker}: DIFFERENT: {difference}"
    if found["unfinished"]:
        count = len(found["unfinished"])
        yield f"{broker}: {count} not fully compared: {shorten_list(found['unfinished'])}"
    if found["compacted"]:
        count = len(found["compacted"])
        yield f"{broker}: {count} of compacted topics left out, since replicas compact separately"


def faults(broker: str, found: Mapping[str, Any]) -> list[str]:
    """Differences of a broker, or the error that prevented its comparison."""
    return found["different"] if "compared" in found else list(lines_of(broker, found))


def replicas_result(responses: Mapping[str, Any]) -> dict[str, Any]:
    """C(text) for all brokers, and C(faults): differences, and brokers without a result."""
    lines = [line for broker, found in responses.items() for line in lines_of(broker, found)]
    return {
        "text": "".join(f"{line}\n" for line in lines),
        "faults": [fault for broker, found in responses.items() for fault in faults(broker, found)],
    }


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {"replicas_result": replicas_result}
