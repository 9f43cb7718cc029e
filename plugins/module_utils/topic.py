# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Topics: what is, what is wished for, and the steps between; no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from .properties import PropertyError, as_text

# Kafka's own type of a topic key, as DescribeConfigs tells it.
NUMBERS = {"INT", "SHORT", "LONG"}
# A replan after an apply finds what somebody else created meanwhile; more would be a quarrel.
ROUNDS = 3


class TopicError(Exception):
    """Wishes that cannot be met: one sentence for each, with topic, wish and obstacle."""

    def __init__(self, sentences: Sequence[str]) -> None:
        """Keep the sentences apart, for a list of them."""
        super().__init__("; ".join(sentences))
        self.sentences = list(sentences)


@dataclass(frozen=True)
class Value:
    """The value of a topic key as Kafka keeps it, and Kafka's name of its type."""

    text: str
    kind: str = "STRING"


@dataclass(frozen=True)
class Topic:
    """A topic as it is. ``config`` holds only keys that were set on the topic itself.

    ``replicas`` are the numbers of replicas that its partitions have, usually one number.
    """

    name: str
    partitions: int
    replicas: frozenset[int]
    config: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Wish:
    """A topic as it should be; None leaves the number to the cluster's default."""

    name: str
    partitions: int | None = None
    replication_factor: int | None = None
    config: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Create:
    """A topic is created."""

    wish: Wish

    @property
    def topic(self) -> str:
        """Name of the topic."""
        return self.wish.name

    def __str__(self) -> str:
        """One sentence."""
        wish = self.wish
        partitions = wish.partitions or "default number of"
        replicas = wish.replication_factor or "default number of"
        config = "".join(f", {key}={wish.config[key]}" for key in sorted(wish.config))
        return f"create {wish.name}: {partitions} partitions, {replicas} replicas{config}"


@dataclass(frozen=True)
class Grow:
    """Partitions are added to a topic; ``count`` is the new total."""

    topic: str
    before: int
    count: int

    def __str__(self) -> str:
        """One sentence."""
        return f"{self.topic}: partitions {self.before} -> {self.count}"


@dataclass(frozen=True)
class Configure:
    """Keys of a topic get values; ``before`` holds those that were set on the topic."""

    topic: str
    before: Mapping[str, str]
    config: Mapping[str, str]

    def __str__(self) -> str:
        """One sentence."""
        changes = [
            f"{key} {self.before.get(key, '(default)')} -> {self.config[key]}"
            for key in sorted(self.config)
        ]
        return f"{self.topic}: {', '.join(changes)}"


Step = Create | Grow | Configure


class Store(Protocol):
    """What the steps are carried out on: a cluster, or a stand-in of a test.

    The three writing methods give the obstacle by topic, empty when all went well. With ``dry``
    the cluster judges a step and does nothing.
    """

    def read_topics(self, names: Iterable[str]) -> dict[str, Topic]:
        """Those of the topics that exist."""

    def create_topics(self, steps: Sequence[Create], dry: bool) -> dict[str, str]:
        """Create topics and wait until every partition has a leader."""

    def grow_topics(self, steps: Sequence[Grow], dry: bool) -> dict[str, str]:
        """Add partitions and wait until every one has a leader."""

    def configure_topics(self, steps: Sequence[Configure], dry: bool) -> dict[str, str]:
        """Set keys of topics and wait until they are in force."""


def same(value: Value, wish: str) -> bool:
    """Whether Kafka would read both texts as one value: 1e0 is 1.0, the order of a list is none."""
    if value.kind == "BOOLEAN":
        return value.text.strip().lower() == wish.strip().lower()
    if value.kind == "LIST":
        return elements(value.text) == elements(wish)
    try:
        if value.kind in NUMBERS:
            return int(value.text) == int(wish)
        if value.kind == "DOUBLE":
            return float(value.text) == float(wish)
    except ValueError:
        return False
    return value.text == wish


def elements(text: str) -> set[str]:
    """The parts of a list that is written with commas."""
    return {part.strip() for part in text.split(",") if part.strip()}


def wishes_of(topics: Mapping[str, Mapping[str, Any]]) -> list[Wish]:
    """Wishes from the parameters of the module; a config value of None is no wish.

    Raises TopicError when a value has no form that Kafka reads.
    """
    wishes, wrong = [], []
    for name in sorted(topics):
        declared = topics[name] or {}
        try:
            config = {
                str(key): as_text(f"topic {name}: {key}", value)
                for key, value in (declared.get("config") or {}).items()
                if value is not None
            }
        except PropertyError as error:
            wrong.append(str(error))
            continue
        partitions, replication = declared.get("partitions"), declared.get("replication_factor")
        wishes.append(Wish(name, partitions, replication, config))
    if wrong:
        raise TopicError(wrong)
    return wishes


def plan(current: Topic | None, wish: Wish) -> list[Step]:
    """Steps from ``current`` to ``wish``; partitions can only grow, no key is taken back.

    Raises TopicError when the wish cannot be met.
    """
    if current is None:
        return [Create(wish)]
    steps: list[Step] = []
    if wish.partitions and wish.partitions < current.partitions:
        raise TopicError(
            [
                f"topic {wish.name}: {wish.partitions} partitions are wished for, "
                f"it has {current.partitions} and Kafka cannot take partitions away"
            ]
        )
    if wish.replication_factor and current.replicas != {wish.replication_factor}:
        found = " or ".join(str(number) for number in sorted(current.replicas))
        raise TopicError(
            [
                f"topic {wish.name}: replication factor {wish.replication_factor} is wished for, "
                f"it has {found}; changing it moves data and is not done here"
            ]
        )
    if wish.partitions and wish.partitions > current.partitions:
        steps.append(Grow(wish.name, current.partitions, wish.partitions))
    changes = {
        key: text
        for key, text in wish.config.items()
        if key not in current.config or not same(current.config[key], text)
    }
    if changes:
        before = {key: current.config[key].text for key in changes if key in current.config}
        steps.append(Configure(wish.name, before, changes))
    return steps


def plan_all(current: Mapping[str, Topic], wishes: Iterable[Wish]) -> list[Step]:
    """Steps for all wishes; raises one TopicError that names every wish that cannot be met."""
    steps: list[Step] = []
    wrong: list[str] = []
    for wish in wishes:
        try:
            steps += plan(current.get(wish.name), wish)
        except TopicError as error:
            wrong += error.sentences
    if wrong:
        raise TopicError(wrong)
    return steps


def batches(steps: Sequence[Create], topics: int, partitions: int) -> Iterator[list[Create]]:
    """``steps`` in portions of at most so many topics and partitions; one is never split.

    A broker works through a request of creations one by one: a thousand topics in one request
    outlast every timeout.
    """
    batch: list[Create] = []
    total = 0
    for step in steps:
        size = step.wish.partitions or 1
        if batch and (len(batch) == topics or total + size > partitions):
            yield batch
            batch, total = [], 0
        batch.append(step)
        total += size
    if batch:
        yield batch


def carry_out(store: Store, steps: Sequence[Step], dry: bool) -> None:
    """Do the steps, or with ``dry`` have the cluster judge them.

    Raises TopicError with every obstacle; a step is tried whatever became of the others.
    """
    creations = [step for step in steps if isinstance(step, Create)]
    growths = [step for step in steps if isinstance(step, Grow)]
    changes = [step for step in steps if isinstance(step, Configure)]
    obstacles = []
    for kind, found in (
        (creations, store.create_topics(creations, dry)),
        (growths, store.grow_topics(growths, dry)),
        (changes, store.configure_topics(changes, dry)),
    ):
        obstacles += [f"{step}: {found[step.topic]}" for step in kind if step.topic in found]
    if obstacles:
        raise TopicError(obstacles)


def converge(store: Store, wishes: Sequence[Wish], dry: bool) -> list[Step]:
    """Bring the topics of ``store`` to ``wishes``; returns the steps, done or with ``dry`` not.

    Every step is judged by the cluster before the first is done, so a misspelt key changes
    nothing. Raises TopicError.
    """
    names = [wish.name for wish in wishes]
    steps = plan_all(store.read_topics(names), wishes)
    carry_out(store, steps, dry=True)
    if dry:
        return steps
    rest = steps
    for _ in range(ROUNDS):
        if not rest:
            return steps
        carry_out(store, rest, dry=False)
        rest = plan_all(store.read_topics(names), wishes)
    if rest:
        raise TopicError([f"{step}: was done and is not there" for step in rest])
    return steps


def difference(steps: Iterable[Step]) -> dict[str, dict[str, Any]]:
    """Before and after of the topics that ``steps`` touch, for ``--diff``."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for step in steps:
        if isinstance(step, Create):
            after[step.topic] = {
                "partitions": step.wish.partitions or "default",
                "replication_factor": step.wish.replication_factor or "default",
                "config": dict(step.wish.config),
            }
        elif isinstance(step, Grow):
            before.setdefault(step.topic, {})["partitions"] = step.before
            after.setdefault(step.topic, {})["partitions"] = step.count
        else:
            before.setdefault(step.topic, {})["config"] = dict(step.before)
            after.setdefault(step.topic, {})["config"] = dict(step.config)
    return {"before": before, "after": after}
