# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Topics: what is, what is wished for, and the steps between; no I/O."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from .config_values import Value, same
from .properties import PropertyError, as_text
from .unmet import UnmetError

# A replan after an apply finds what somebody else created meanwhile; more would be a quarrel.
ROUNDS = 3
KAFKAS_OWN = "__"


class TopicError(UnmetError):
    """Wishes for topics that cannot be met."""


# Broker ids of each partition, in the order of partitions; the first of each leads if it can.
Placement = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Topic:
    """A topic as it is. ``config`` holds only keys that were set on the topic itself.

    ``replicas`` are the numbers of replicas that its partitions have, usually one number;
    ``placement`` are the brokers of each partition, where they are known.
    """

    name: str
    partitions: int
    replicas: frozenset[int]
    config: Mapping[str, Value] = field(default_factory=dict)
    placement: Placement = ()


@dataclass(frozen=True)
class Wish:
    """A topic as it should be; None leaves the number to the cluster's default.

    With a ``placement``, brokers by partition, the two numbers are those of it. Keys under
    ``defaults`` are to have the cluster's value: declared as null, or no longer declared.
    """

    name: str
    partitions: int | None = None
    replication_factor: int | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    placement: Placement = ()
    defaults: frozenset[str] = frozenset()


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
    # Brokers of the new ones; empty leaves them to the cluster.
    placement: Placement = ()

    def __str__(self) -> str:
        """One sentence."""
        return f"{self.topic}: partitions {self.before} -> {self.count}"


@dataclass(frozen=True)
class Configure:
    """Keys of a topic get values; ``before`` holds those that were set on the topic.

    ``reset`` are the keys that return to the cluster's default.
    """

    topic: str
    before: Mapping[str, str]
    config: Mapping[str, str]
    reset: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One sentence."""
        changes = [
            f"{key} {self.before.get(key, '(default)')} -> {self.config[key]}"
            for key in sorted(self.config)
        ]
        changes += [f"{key} {self.before[key]} -> (default)" for key in self.reset]
        return f"{self.topic}: {', '.join(changes)}"


@dataclass(frozen=True)
class Delete:
    """A topic is deleted, with all its records."""

    topic: str
    partitions: int

    def __str__(self) -> str:
        """One sentence."""
        noun = "partition" if self.partitions == 1 else "partitions"
        return f"delete {self.topic}: {self.partitions} {noun} with all records"


@dataclass(frozen=True)
class Move:
    """Replicas of a topic are to be elsewhere: that moves data and is done by others."""

    topic: str
    before: frozenset[int]
    wish: Wish

    def __str__(self) -> str:
        """One sentence."""
        if self.wish.placement:
            return f"{self.topic}: replicas are to lie on the declared brokers"
        wished = self.wish.replication_factor
        return f"{self.topic}: replication factor {_either(self.before)} -> {wished}"


Step = Create | Grow | Configure | Delete | Move


class Store(Protocol):
    """What the steps are carried out on: a cluster, or a stand-in of a test.

    The three writing methods give the obstacle by topic, empty when all went well. With ``dry``
    the cluster judges a step and does nothing.
    """

    def read_topics(self, names: Iterable[str], keys: Collection[str] | None) -> dict[str, Topic]:
        """Those of the topics that exist, with those of the keys, or all, that are set on them."""

    def create_topics(self, steps: Sequence[Create], dry: bool) -> dict[str, str]:
        """Create topics and wait until every partition has a leader."""

    def grow_topics(self, steps: Sequence[Grow], dry: bool) -> dict[str, str]:
        """Add partitions and wait until every one has a leader."""

    def configure_topics(self, steps: Sequence[Configure], dry: bool) -> dict[str, str]:
        """Set and reset keys of topics and wait until that is in force."""

    def delete_topics(self, steps: Sequence[Delete], dry: bool) -> dict[str, str]:
        """Delete topics and wait until no broker knows them; nobody judges it beforehand."""


def wishes_of(topics: Mapping[str, Mapping[str, Any]]) -> list[Wish]:
    """Wishes from the parameters of the module; a config value of None is the cluster's default.

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
        placement = tuple(tuple(brokers) for brokers in declared.get("placement") or ())
        if placement:
            partitions, replication = len(placement), len(placement[0])
        defaults = frozenset(str(key) for key in declared.get("config") or {}) - config.keys()
        wishes.append(Wish(name, partitions, replication, config, placement, defaults))
    if wrong:
        raise TopicError(wrong)
    return wishes


def misplaced(current: Topic, wish: Wish) -> bool:
    """Whether replicas of a topic that is there have to move."""
    if wish.placement:
        return current.placement != wish.placement[: current.partitions]
    return bool(wish.replication_factor) and current.replicas != {wish.replication_factor}


def plan(current: Topic | None, wish: Wish, moves: bool = False) -> list[Step]:
    """Steps from ``current`` to ``wish``; partitions can only grow.

    With ``moves`` replicas that are to be elsewhere are a step, otherwise a wish that cannot be
    met. Raises TopicError when there is one.
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
    if misplaced(current, wish):
        if not moves:
            raise TopicError([_unmoved(current, wish)])
        steps.append(Move(wish.name, current.replicas, wish))
    if wish.partitions and wish.partitions > current.partitions:
        new = wish.placement[current.partitions :]
        steps.append(Grow(wish.name, current.partitions, wish.partitions, new))
    changes = {
        key: text
        for key, text in wish.config.items()
        if key not in current.config or not same(current.config[key], text)
    }
    reset = tuple(sorted(wish.defaults & current.config.keys()))
    if changes or reset:
        touched = (*changes, *reset)
        before = {key: current.config[key].text for key in touched if key in current.config}
        steps.append(Configure(wish.name, before, changes, reset))
    return steps


def unmanaged(current: Topic, wish: Wish) -> dict[str, str]:
    """Values by key that are set on the topic and that nothing declares: somebody's by hand."""
    known = {*wish.config, *wish.defaults}
    return {key: current.config[key].text for key in sorted(current.config) if key not in known}


def _either(numbers: Iterable[int]) -> str:
    return " or ".join(str(number) for number in sorted(numbers))


def _unmoved(current: Topic, wish: Wish) -> str:
    if wish.placement:
        return (
            f"topic {wish.name}: other brokers are wished for than those that have its replicas; "
            "changing that moves data and is not done here"
        )
    return (
        f"topic {wish.name}: replication factor {wish.replication_factor} is wished for, "
        f"it has {_either(current.replicas)}; changing it moves data and is not done here"
    )


def plan_absent(
    current: Mapping[str, Topic], absent: Iterable[str], confirmed: Iterable[str]
) -> list[Step]:
    """Deletions of those topics that are there; raises TopicError for each that is not confirmed.

    A topic of Kafka's own is never deleted, whoever confirms it.
    """
    known = set(confirmed)
    steps: list[Step] = []
    wrong = []
    for name in sorted(set(absent)):
        if name.startswith(KAFKAS_OWN):
            wrong.append(f"topic {name}: is one of Kafka's own, which are never deleted")
        elif name in current and name not in known:
            wrong.append(
                f"topic {name}: is to be deleted with its {current[name].partitions} partitions; "
                "that is done once its name stands under confirm_delete as well"
            )
        elif name in current:
            steps.append(Delete(name, current[name].partitions))
    if wrong:
        raise TopicError(wrong)
    return steps


def plan_all(
    current: Mapping[str, Topic],
    wishes: Iterable[Wish],
    absent: Iterable[str] = (),
    confirmed: Iterable[str] = (),
    moves: bool = False,
) -> list[Step]:
    """Steps for all wishes; raises one TopicError that names every wish that cannot be met."""
    steps: list[Step] = []
    wrong: list[str] = []
    gone = set(absent)
    for wish in wishes:
        try:
            steps += plan(current.get(wish.name), wish, moves)
        except TopicError as error:
            wrong += error.sentences
        if wish.name in gone:
            wrong.append(f"topic {wish.name}: is declared and to be absent")
    try:
        steps += plan_absent(current, gone, confirmed)
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
    deletions = [step for step in steps if isinstance(step, Delete)]
    obstacles = []
    for kind, found in (
        (creations, store.create_topics(creations, dry)),
        (growths, store.grow_topics(growths, dry)),
        (changes, store.configure_topics(changes, dry)),
        (deletions, store.delete_topics(deletions, dry)),
    ):
        obstacles += [f"{step}: {found[step.topic]}" for step in kind if step.topic in found]
    if obstacles:
        raise TopicError(obstacles)


def converge(
    store: Store,
    wishes: Sequence[Wish],
    dry: bool,
    absent: Sequence[str] = (),
    confirmed: Sequence[str] = (),
    moves: bool = False,
    found: dict[str, Topic] | None = None,
) -> list[Step]:
    """Bring the topics of ``store`` to ``wishes``; returns the steps, done or with ``dry`` not.

    Every step is judged by the cluster before the first is done, so a misspelt key changes
    nothing. A Move is only told: it is done by others. ``found`` takes the topics as they were,
    with all their keys. Raises TopicError.
    """
    names = [*(wish.name for wish in wishes), *absent]
    keys = {key for wish in wishes for key in (*wish.config, *wish.defaults)}

    def planned(chosen: Collection[str] | None = keys) -> list[Step]:
        current = store.read_topics(names, chosen)
        if chosen is None and found is not None:
            found.update(current)
        return plan_all(current, wishes, absent, confirmed, moves)

    steps = planned(keys if found is None else None)
    carry_out(store, steps, dry=True)
    if dry:
        return steps
    rest = [step for step in steps if not isinstance(step, Move)]
    for _ in range(ROUNDS):
        if not rest:
            return steps
        carry_out(store, rest, dry=False)
        rest = [step for step in planned() if not isinstance(step, Move)]
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
        elif isinstance(step, Delete):
            before[step.topic] = {"partitions": step.partitions}
        elif isinstance(step, Move):
            before.setdefault(step.topic, {})["replication_factor"] = _either(step.before)
            wish = step.wish.placement or step.wish.replication_factor
            after.setdefault(step.topic, {})["replication_factor"] = wish
        else:
            before.setdefault(step.topic, {})["config"] = dict(step.before)
            reset = dict.fromkeys(step.reset, "(default)")
            after.setdefault(step.topic, {})["config"] = {**step.config, **reset}
    return {"before": before, "after": after}
