# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Read and change the client quotas of a cluster in bulk."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from .._common.deadlines import Deadline
from .._kafka.client import PAUSE
from .._kafka.endpoints import ClusterError
from .client_base import PER_REQUEST, ContentConnection, error_reason
from .quotas import DEFAULT, Alter, Entity

# ``client.MISSING`` reports a missing library.
with suppress(ImportError):
    from kafka.protocol.admin import AlterClientQuotasRequest, DescribeClientQuotasRequest

ENTITIES = {"user": "user", "client": "client-id", "ip": "ip"}


class QuotaConnection(ContentConnection):
    """A connection that reads and changes quotas."""

    def read_quotas(self) -> dict[Entity, dict[str, float]]:
        """Return all quotas, read in one request; raises ClusterError."""
        everything: dict[str, Any] = {"components": [], "strict": False}
        answer = self.send("reading quotas", lambda: DescribeClientQuotasRequest(**everything))
        if answer.error_code:
            message = error_reason(answer.error_code, answer.error_message)
            raise ClusterError(f"reading quotas: {message}")
        return {
            parse_entity(entry.entity): {value.key: float(value.value) for value in entry.values}
            for entry in answer.entries or ()
        }

    def alter_quotas(self, steps: Sequence[Alter], dry: bool) -> dict[Entity, str]:
        """Set and remove keys of quotas, wait until they are effective; return the blockers.

        With ``dry`` the cluster only validates the steps.
        """
        blockers: dict[Entity, str] = {}
        for start in range(0, len(steps), PER_REQUEST):
            portion = steps[start : start + PER_REQUEST]

            def request(chosen: Sequence[Alter] = portion) -> Any:
                return AlterClientQuotasRequest(
                    entries=[request_entry(step) for step in chosen], validate_only=dry
                )

            self.deadline = Deadline(self.timeout)
            answer = self.send("changing quotas", request)
            for entry in answer.entries:
                if entry.error_code:
                    message = error_reason(entry.error_code, entry.error_message)
                    blockers[parse_entity(entry.entity)] = message
            if not dry:
                done = [step for step in portion if step.entity not in blockers]
                blockers |= self.wait_for_quotas(done)
        return blockers

    def wait_for_quotas(self, steps: Sequence[Alter]) -> dict[Entity, str]:
        """Wait until the cluster returns the new values; return the entities that timed out."""
        waiting = list(steps)
        while waiting:
            found = self.read_quotas()
            waiting = [
                step
                for step in waiting
                if not step.values.items() <= found.get(step.entity, {}).items()
                or set(step.removed) & found.get(step.entity, {}).keys()
            ]
            if waiting and self.deadline.passed():
                late = f"not effective after {self.timeout:g} s"
                return {step.entity: late for step in waiting}
            if waiting:
                time.sleep(PAUSE)
        return {}


def parse_entity(parts: Iterable[Any]) -> Entity:
    """Return the entity of Kafka's name parts."""
    names = {kafka: ours for ours, kafka in ENTITIES.items()}
    return Entity(
        **{
            names[part.entity_type]: DEFAULT if part.entity_name is None else part.entity_name
            for part in parts
            if part.entity_type in names
        }
    )


def request_entry(step: Alter) -> Any:
    """Return a step as an entry of Kafka's request."""
    kind = AlterClientQuotasRequest.EntryData
    parts = ((ENTITIES[ours], getattr(step.entity, ours)) for ours in ENTITIES)
    return kind(
        entity=[
            kind.EntityData(entity_type=name, entity_name=None if value == DEFAULT else value)
            for name, value in parts
            if value
        ],
        ops=[
            *(kind.OpData(key=k, value=v, remove=False) for k, v in sorted(step.values.items())),
            *(kind.OpData(key=key, value=0.0, remove=True) for key in step.removed),
        ],
    )
