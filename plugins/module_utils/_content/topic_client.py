# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Topics of a cluster, read and changed in bulk within the broker's limits."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .._common.deadlines import Deadline
from .._kafka.client import PAUSE
from .._kafka.config_values import Value
from .leaders_client import LeadersConnection
from .topic_answers import changes_of, numbers_of, placement_of, portions, refusals, wanted_of
from .topic_changes import batches
from .topic_model import Configure, Create, Delete, Grow, Topic
from .topics import plan

# ``client`` says that the library is missing.
with suppress(ImportError):
    from kafka.admin import ConfigResource

UNKNOWN_TOPIC = 3
# Partitions created in one request for each topic in it, on average.
PARTITIONS_PER_TOPIC = 4


class TopicConnection(LeadersConnection):
    """A connection that changes topics; ``timeout`` limits one request.

    ``batch`` is how many topics are created by one request.
    """

    def __init__(
        self, servers: Sequence[str], config: Mapping[str, Any], timeout: float, batch: int = 50
    ) -> None:
        """Find a broker that answers."""
        super().__init__(servers, config, timeout)
        self.batch = batch

    def read_topics(
        self, names: Iterable[str], keys: Collection[str] | None = None
    ) -> dict[str, Topic]:
        """Those of the topics that exist, with the keys that are set on them: two requests.

        With ``keys`` no others are asked for: a thousand topics have 34,000 of them.
        """
        # Asking for all and choosing here: a request that names an unknown topic reports errors.
        wanted = set(names)
        described = {
            topic["name"]: topic for topic in self.describe_topics() if topic["name"] in wanted
        }
        if not described:
            return {}
        chosen = None if keys is None else sorted(keys)
        resources = [ConfigResource("topic", name, chosen) for name in described]
        configs = self.ask("keys of topics", self.admin.describe_configs, resources)["topic"]
        return {
            name: Topic(
                name=name,
                partitions=len(topic["partitions"]),
                replicas=frozenset(len(part["replica_nodes"]) for part in topic["partitions"]),
                placement=placement_of(topic["partitions"]),
                config={
                    key: Value(entry["value"] or "", entry.get("config_type", "STRING"))
                    for key, entry in configs.get(name, {}).items()
                    if entry["config_source"] == "DYNAMIC_TOPIC_CONFIG"
                },
            )
            for name, topic in described.items()
        }

    def create_topics(self, steps: Sequence[Create], dry: bool) -> dict[str, str]:
        """Create topics batch by batch and wait for their leaders; blockers by topic."""
        blockers: dict[str, str] = {}
        for portion in batches(steps, self.batch, self.batch * PARTITIONS_PER_TOPIC):
            self.deadline = Deadline(self.timeout)
            specs = {
                step.topic: {
                    **numbers_of(step.spec),
                    "configs": dict(step.spec.config),
                }
                for step in portion
            }
            answer = self.ask(
                "creation of topics",
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
        """Add partitions and wait for their leaders; blockers by topic."""
        blockers: dict[str, str] = {}
        for portion in portions(steps):
            self.deadline = Deadline(self.timeout)
            counts = {step.topic: step.count for step in portion}
            wanted = {
                step.topic: {"count": step.count, "assignments": [list(b) for b in step.placement]}
                if step.placement
                else step.count
                for step in portion
            }
            answer = self.ask(
                "addition of partitions",
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
        """Delete topics and wait until no broker knows them; blockers by topic."""
        blockers: dict[str, str] = {}
        for portion in portions(() if dry else steps):
            self.deadline = Deadline(self.timeout)
            names = [step.topic for step in portion]
            answer = self.ask(
                "deletion of topics",
                self.admin.delete_topics,
                names,
                timeout_ms=self.server_timeout_ms(),
                raise_errors=False,
            )
            blockers |= refusals(answer["topics"], UNKNOWN_TOPIC)
            blockers |= self.wait_for_deletion([name for name in names if name not in blockers])
        return blockers

    def wait_for_deletion(self, names: list[str]) -> dict[str, str]:
        """Wait until no broker that answers knows these topics; those for which time ran out."""
        waiting = names
        while waiting:
            known = set().union(*self.views(waiting))
            waiting = [name for name in waiting if name in known]
            if not waiting or self.deadline.passed():
                return dict.fromkeys(waiting, f"is still there after {self.timeout:g} s")
            time.sleep(PAUSE)
        return {}

    def configure_topics(self, steps: Sequence[Configure], dry: bool) -> dict[str, str]:
        """Set and reset keys of topics and wait until that is in force; blockers by topic."""
        blockers: dict[str, str] = {}
        for portion in portions(steps):
            self.deadline = Deadline(self.timeout)
            answer = self.ask(
                "change of keys",
                self.admin.alter_configs,
                [ConfigResource("topic", step.topic, changes_of(step)) for step in portion],
                validate_only=dry,
                raise_on_unknown=False,
            )
            refused = {
                # kafka-python puts number and name of the error before Kafka's sentence.
                name: said.partition("Error: ")[2] or said
                for name, said in answer.get("topic", {}).items()
                if said != "OK"
            }
            blockers |= refused
            if not dry:
                blockers |= self.wait_for_keys(
                    {step.topic: step for step in portion if step.topic not in refused}
                )
        return blockers

    def wait_for_keys(self, changes: Mapping[str, Configure]) -> dict[str, str]:
        """Wait until the cluster tells the new values; in some metadata modes they take a moment.

        Gives the topics for which time ran out.
        """
        waiting = dict(changes)
        while waiting:
            keys = {key for step in waiting.values() for key in (*step.config, *step.reset)}
            found = self.read_topics(waiting, keys)
            waiting = {
                name: step
                for name, step in waiting.items()
                if plan(found.get(name), wanted_of(step))
            }
            if not waiting or self.deadline.passed():
                return dict.fromkeys(waiting, f"not in force after {self.timeout:g} s")
            time.sleep(PAUSE)  # As above: brokers learn of it a little later.
        return {}
