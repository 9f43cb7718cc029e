# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Read and change topics in bulk, within the limits of brokers."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .._common.deadlines import Deadline
from .._kafka.client import PAUSE
from .leaders_client import LeadersConnection
from .topic_changes import batches
from .topic_keys_client import TopicKeysConnection
from .topic_model import Configure, Create, Delete, Grow, Topic
from .topic_requests import (
    config_changes,
    creation_parameters,
    expected_spec,
    read_placement,
    refusals,
    split_into_requests,
)
from .topics import plan

# ``client.MISSING`` reports a missing library.
with suppress(ImportError):
    from kafka.admin import ConfigResource

UNKNOWN_TOPIC = 3
# Average number of partitions per topic in one request that creates topics.
PARTITIONS_PER_TOPIC = 4


class TopicConnection(LeadersConnection, TopicKeysConnection):
    """A connection that reads and changes topics; ``timeout`` (s) limits one request.

    ``batch`` is the number of topics created by one request.
    """

    def __init__(
        self, servers: Sequence[str], config: Mapping[str, Any], timeout: float, batch: int = 50
    ) -> None:
        """Connect to the first broker that responds."""
        super().__init__(servers, config, timeout)
        self.batch = batch

    def read_topics(
        self, names: Iterable[str], keys: Collection[str] | None = None
    ) -> dict[str, Topic]:
        """Return the existing topics with the keys set on them, or only ``keys``; two requests."""
        # All topics are described: a request for an unknown topic would report an error.
        wanted = set(names)
        described = {
            topic["name"]: topic for topic in self.describe_topics() if topic["name"] in wanted
        }
        if not described:
            return {}
        configs = self.read_topic_keys(described, keys)
        return {
            name: Topic(
                name=name,
                partitions=len(topic["partitions"]),
                replicas=frozenset(len(part["replica_nodes"]) for part in topic["partitions"]),
                placement=read_placement(topic["partitions"]),
                config=configs.get(name, {}),
            )
            for name, topic in described.items()
        }

    def create_topics(self, steps: Sequence[Create], dry: bool) -> dict[str, str]:
        """Create topics in batches, wait for their leaders; return the blockers by topic."""
        blockers: dict[str, str] = {}
        for portion in batches(steps, self.batch, self.batch * PARTITIONS_PER_TOPIC):
            self.deadline = Deadline(self.timeout)
            specs = {
                step.topic: {
                    **creation_parameters(step.spec),
                    "configs": dict(step.spec.config),
                }
                for step in portion
            }
            answer = self.call(
                "creating topics",
                self.admin.create_topics,
                specs,
                timeout_ms=self.server_timeout_ms(),
                validate_only=dry,
                raise_errors=False,
            )
            refused = refusals(answer["topics"])
            blockers |= refused
            if not dry:
                counts = {step.topic: step.spec.partitions or 1 for step in portion}
                blockers |= self.wait_for_leaders(counts, refused)
        return blockers

    def grow_topics(self, steps: Sequence[Grow], dry: bool) -> dict[str, str]:
        """Add partitions, wait for their leaders; return the blockers by topic."""
        blockers: dict[str, str] = {}
        for portion in split_into_requests(steps):
            self.deadline = Deadline(self.timeout)
            counts = {step.topic: step.count for step in portion}
            wanted = {
                step.topic: {"count": step.count, "assignments": [list(b) for b in step.placement]}
                if step.placement
                else step.count
                for step in portion
            }
            answer = self.call(
                "adding partitions",
                self.admin.create_partitions,
                wanted,
                timeout_ms=self.server_timeout_ms(),
                validate_only=dry,
                raise_errors=False,
            )
            refused = refusals(answer.to_dict()["results"])
            blockers |= refused
            if not dry:
                blockers |= self.wait_for_leaders(counts, refused)
        return blockers

    def delete_topics(self, steps: Sequence[Delete], dry: bool) -> dict[str, str]:
        """Delete topics, wait until no broker lists them; return the blockers by topic."""
        blockers: dict[str, str] = {}
        for portion in split_into_requests(() if dry else steps):
            self.deadline = Deadline(self.timeout)
            names = [step.topic for step in portion]
            answer = self.call(
                "deleting topics",
                self.admin.delete_topics,
                names,
                timeout_ms=self.server_timeout_ms(),
                raise_errors=False,
            )
            blockers |= refusals(answer["topics"], UNKNOWN_TOPIC)
            blockers |= self.wait_for_deletion([name for name in names if name not in blockers])
        return blockers

    def wait_for_deletion(self, names: list[str]) -> dict[str, str]:
        """Wait until no responding broker lists these topics; return those that timed out."""
        waiting = names
        while waiting:
            listed = set().union(*self.views(waiting))
            waiting = [name for name in waiting if name in listed]
            if not waiting or self.deadline.passed():
                return dict.fromkeys(waiting, f"still exists after {self.timeout:g} s")
            time.sleep(PAUSE)
        return {}

    def configure_topics(self, steps: Sequence[Configure], dry: bool) -> dict[str, str]:
        """Set and reset keys, wait until they are effective; return the blockers by topic."""
        blockers: dict[str, str] = {}
        for portion in split_into_requests(steps):
            self.deadline = Deadline(self.timeout)
            answer = self.call(
                "changing configs of topics",
                self.admin.alter_configs,
                [ConfigResource("topic", step.topic, config_changes(step)) for step in portion],
                validate_only=dry,
                raise_on_unknown=False,
            )
            refused = {
                # kafka-python prepends number and name of the error to Kafka's message.
                name: result.partition("Error: ")[2] or result
                for name, result in answer.get("topic", {}).items()
                if result != "OK"
            }
            blockers |= refused
            if not dry:
                blockers |= self.wait_for_keys(
                    {step.topic: step for step in portion if step.topic not in refused}
                )
        return blockers

    def wait_for_keys(self, changes: Mapping[str, Configure]) -> dict[str, str]:
        """Wait until the cluster returns the new values; return the topics that timed out.

        In some metadata modes new values are visible with a delay.
        """
        waiting = dict(changes)
        while waiting:
            keys = {key for step in waiting.values() for key in (*step.config, *step.reset)}
            found = self.read_topics(waiting, keys)
            waiting = {
                name: step
                for name, step in waiting.items()
                if plan(found.get(name), expected_spec(step))
            }
            if not waiting or self.deadline.passed():
                return dict.fromkeys(waiting, f"not effective after {self.timeout:g} s")
            time.sleep(PAUSE)
        return {}
