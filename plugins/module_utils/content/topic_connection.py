# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Topics of a cluster, read and changed in bulk within the broker's limits."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from ..config_values import Value
from ..connecting import PAUSE, Connection
from ..state import NOBODY
from ..topic import Configure, Create, Delete, Grow, Topic, Wish, batches, plan
from ..waiting import Deadline, side_by_side

# ``connecting`` says that the library is missing.
with suppress(ImportError):
    from kafka.admin import ConfigResource
    from kafka.errors import for_code
    from kafka.protocol.metadata import MetadataRequest

TOPIC_EXISTS = 36
UNKNOWN_TOPIC = 3
REQUEST_TIMED_OUT = 7
# Changes of keys and partition counts in one request; the broker does them one by one.
CHANGES = 100
# Partitions created in one request for each topic in it, on average.
PARTITIONS_PER_TOPIC = 4


class TopicConnection(Connection):
    """A connection that changes topics; ``timeout`` is the patience for one request.

    ``batch`` is how many topics are created by one request.
    """

    def __init__(
        self, servers: Sequence[str], config: Mapping[str, Any], timeout: float, batch: int = 50
    ) -> None:
        """Find a broker that answers."""
        super().__init__(servers, config, timeout)
        self.timeout = timeout
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
        """Create topics batch by batch and wait for their leaders; obstacles by topic."""
        obstacles: dict[str, str] = {}
        for portion in batches(steps, self.batch, self.batch * PARTITIONS_PER_TOPIC):
            self.deadline = Deadline(self.timeout)
            wishes = {
                step.topic: {
                    **numbers_of(step.wish),
                    "configs": dict(step.wish.config),
                }
                for step in portion
            }
            answer = self.ask(
                "creation of topics",
                self.admin.create_topics,
                wishes,
                timeout_ms=self.server_timeout_ms(),
                validate_only=dry,
                raise_errors=False,
            )
            refused = refusals(answer["topics"])
            obstacles |= refused
            if not dry:
                counts = {step.topic: step.wish.partitions or 1 for step in portion}
                obstacles |= self.wait_for_leaders(counts, refused)
        return obstacles

    def grow_topics(self, steps: Sequence[Grow], dry: bool) -> dict[str, str]:
        """Add partitions and wait for their leaders; obstacles by topic."""
        obstacles: dict[str, str] = {}
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
            obstacles |= refused
            if not dry:
                obstacles |= self.wait_for_leaders(counts, refused)
        return obstacles

    def delete_topics(self, steps: Sequence[Delete], dry: bool) -> dict[str, str]:
        """Delete topics and wait until no broker knows them; obstacles by topic."""
        obstacles: dict[str, str] = {}
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
            obstacles |= refusals(answer["topics"], UNKNOWN_TOPIC)
            obstacles |= self.wait_for_deletion([name for name in names if name not in obstacles])
        return obstacles

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
        """Set and reset keys of topics and wait until that is in force; obstacles by topic."""
        obstacles: dict[str, str] = {}
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
            obstacles |= refused
            if not dry:
                obstacles |= self.wait_for_keys(
                    {step.topic: step for step in portion if step.topic not in refused}
                )
        return obstacles

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

    def wait_for_leaders(
        self, counts: Mapping[str, int], refused: Mapping[str, str]
    ) -> dict[str, str]:
        """Wait until each topic has its number of partitions, each with a leader.

        Gives the topics for which time ran out, with what was missing at last.
        """
        waiting = {name: count for name, count in counts.items() if name not in refused}
        while waiting:
            leaders = self.leaders(list(waiting))
            waiting = {name: count for name, count in waiting.items() if leaders[name] < count}
            if not waiting or self.deadline.passed():
                return {
                    name: f"{leaders[name]} of {count} partitions have a leader "
                    f"after {self.timeout:g} s"
                    for name, count in waiting.items()
                }
            # Leaders of a batch take seconds; ten looks a second are enough to lose no time.
            time.sleep(PAUSE)
        return {}

    def leaders(self, topics: list[str]) -> dict[str, int]:
        """Partitions with a leader, by topic, as the broker sees it that lags behind most.

        Brokers learn of a topic one after the other, and a client may ask any of them. Those that
        do not answer have no say.
        """
        views = self.views(topics)
        return {
            name: min((leaders_of(view.get(name)) for view in views), default=0) for name in topics
        }

    def views(self, topics: list[str]) -> list[dict[str, dict[str, Any]]]:
        """Topics as each broker has them that answers."""
        answers = side_by_side(
            {broker: partial(self.metadata, broker, topics) for broker in self.known_brokers()},
            Deadline(min(self.patience, self.deadline.left())),
        )
        return [answer for answer in answers.values() if not isinstance(answer, Exception)]

    def metadata(self, broker: int, topics: list[str]) -> dict[str, dict[str, Any]]:
        """Metadata of topics as one broker has it; the client itself asks any broker."""
        wanted = [MetadataRequest.MetadataRequestTopic(name=name) for name in topics]
        request = MetadataRequest(
            topics=wanted,
            allow_auto_topic_creation=False,
            include_cluster_authorized_operations=False,
            include_topic_authorized_operations=False,
        )
        manager = self.admin._manager
        answer = manager.run(manager.send, request, broker).to_dict()
        return {topic["name"]: topic for topic in answer["topics"] if not topic["error_code"]}


def placement_of(parts: Iterable[Mapping[str, Any]]) -> tuple[tuple[int, ...], ...]:
    """Brokers of each partition, in the order of partitions."""
    ordered = sorted(parts, key=lambda part: int(part["partition_index"]))
    return tuple(tuple(part["replica_nodes"]) for part in ordered)


def leaders_of(topic: Mapping[str, Any] | None) -> int:
    """Number of partitions with a leader; 0 for a topic that is not there yet."""
    return sum(part["leader_id"] != NOBODY for part in topic["partitions"]) if topic else 0


def changes_of(step: Configure) -> dict[str, Any]:
    """Keys of a topic as the client library changes them: some set, some deleted."""
    return {**step.config, **dict.fromkeys(step.reset, ("DELETE", None))}


def wanted_of(step: Configure) -> Wish:
    """What a change of keys is to have led to."""
    return Wish(step.topic, config=step.config, defaults=frozenset(step.reset))


def numbers_of(wish: Wish) -> dict[str, Any]:
    """What Kafka is told of the partitions of a new topic."""
    if wish.placement:
        return {"assignments": {at: list(brokers) for at, brokers in enumerate(wish.placement)}}
    return {
        "num_partitions": wish.partitions or -1,
        "replication_factor": wish.replication_factor or -1,
    }


def refusals(answers: Iterable[Mapping[str, Any]], reached: int = TOPIC_EXISTS) -> dict[str, str]:
    """Kafka's refusals by topic.

    No refusal is what somebody else has ``reached`` meanwhile (the next look compares it), nor a
    request that takes the broker longer than asked (the wait that follows sees it through).
    """
    return {
        answer["name"]: answer["error_message"] or for_code(answer["error_code"]).__name__
        for answer in answers
        if answer["error_code"] not in (0, reached, REQUEST_TIMED_OUT)
    }


def portions(steps: Sequence[Any]) -> list[Sequence[Any]]:
    """``steps`` in groups that one request can carry."""
    return [steps[start : start + CHANGES] for start in range(0, len(steps), CHANGES)]
