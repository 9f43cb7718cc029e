# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What comparisons of replicas come to, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..module_utils._common.messages import some


def told(broker: str, found: Mapping[str, Any]) -> Iterator[str]:
    """What one broker's answer comes to, a line each; C(found) is that of C(replica_equality)."""
    if "compared" not in found:
        yield f"{broker}: not compared: {found.get('msg') or 'no answer'}"
        return
    yield f"{broker}: {len(found['compared'])} replicas are equal to another one"
    for sentence in found["different"]:
        yield f"{broker}: DIFFERENT: {sentence}"
    if found["unfinished"]:
        count = len(found["unfinished"])
        yield f"{broker}: {count} not compared to the end: {some(found['unfinished'])}"
    if found["compacted"]:
        count = len(found["compacted"])
        yield f"{broker}: {count} of compacted topics left out, compacted by each in its own time"


def faults(broker: str, found: Mapping[str, Any]) -> list[str]:
    """What differs, or that the broker could not be asked."""
    return found["different"] if "compared" in found else list(told(broker, found))


def replicas_result(answers: Mapping[str, Any]) -> dict[str, Any]:
    """C(text) of all answers by broker, and C(faults): what differs, and who could not be asked."""
    lines = [line for broker, found in answers.items() for line in told(broker, found)]
    return {
        "text": "".join(f"{line}\n" for line in lines),
        "faults": [fault for broker, found in answers.items() for fault in faults(broker, found)],
    }


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {"replicas_result": replicas_result}
