# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Apply the desired topics to a cluster in batches, until no step is left."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from .topic_model import (
    Configure,
    Create,
    Delete,
    Grow,
    Move,
    Spec,
    Step,
    Store,
    Topic,
    TopicError,
    format_alternatives,
)
from .topics import plan_all

# Rounds of applying and planning again; limits a conflict with another client.
ROUNDS = 3


def batches(steps: Sequence[Create], topics: int, partitions: int) -> Iterator[list[Create]]:
    """Yield ``steps`` in batches of at most ``topics`` topics and ``partitions`` partitions.

    A topic is never split. Brokers create topics one by one, so a thousand topics in one request
    would exceed every timeout.
    """
    batch: list[Create] = []
    total = 0
    for step in steps:
        size = step.spec.partitions or 1
        if batch and (len(batch) == topics or total + size > partitions):
            yield batch
            batch, total = [], 0
        batch.append(step)
        total += size
    if batch:
        yield batch


def carry_out(store: Store, steps: Sequence[Step], dry: bool) -> None:
    """Apply all steps, or with ``dry`` let the cluster validate them.

    Raises one TopicError with every blocker; a failed step does not stop the others.
    """
    creations = [step for step in steps if isinstance(step, Create)]
    growths = [step for step in steps if isinstance(step, Grow)]
    changes = [step for step in steps if isinstance(step, Configure)]
    deletions = [step for step in steps if isinstance(step, Delete)]
    blockers = []
    for kind, found in (
        (creations, store.create_topics(creations, dry)),
        (growths, store.grow_topics(growths, dry)),
        (changes, store.configure_topics(changes, dry)),
        (deletions, store.delete_topics(deletions, dry)),
    ):
        blockers += [f"{step}: {found[step.topic]}" for step in kind if step.topic in found]
    if blockers:
        raise TopicError(blockers)


def converge(
    store: Store,
    specs: Sequence[Spec],
    dry: bool,
    absent: Sequence[str] = (),
    confirmed: Sequence[str] = (),
    moves: bool = False,
    found: dict[str, Topic] | None = None,
    refused: list[str] | None = None,
) -> list[Step]:
    """Apply ``specs`` to the topics of ``store``; return the steps; with ``dry`` only plan.

    The cluster validates every step before the first is applied, so a misspelt key changes
    nothing. Move steps are returned but not applied. ``found`` receives the current topics with
    all their keys, ``refused`` the steps that the cluster refuses when it validates them; without
    it they are an error. Raises TopicError.
    """
    names = [*(spec.name for spec in specs), *absent]
    keys = {key for spec in specs for key in (*spec.config, *spec.defaults)}

    def planned(chosen: Collection[str] | None = keys) -> list[Step]:
        current = store.read_topics(names, chosen)
        if chosen is None and found is not None:
            found.update(current)
        return plan_all(current, specs, absent, confirmed, moves)

    steps = planned(keys if found is None else None)
    try:
        carry_out(store, steps, dry=True)
    except TopicError as error:
        if refused is None:
            raise
        refused += error.messages
    if dry:
        return steps
    rest = [step for step in steps if not isinstance(step, Move)]
    for _ in range(ROUNDS):
        if not rest:
            return steps
        carry_out(store, rest, dry=False)
        rest = [step for step in planned() if not isinstance(step, Move)]
    if rest:
        raise TopicError([f"{step}: was applied but is not in effect" for step in rest])
    return steps


def difference(steps: Iterable[Step]) -> dict[str, dict[str, Any]]:
    """Return the changed topics before and after ``steps``, for ``--diff``."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for step in steps:
        if isinstance(step, Create):
            after[step.topic] = {
                "partitions": step.spec.partitions or "default",
                "replication_factor": step.spec.replication_factor or "default",
                "config": dict(step.spec.config),
            }
        elif isinstance(step, Grow):
            before.setdefault(step.topic, {})["partitions"] = step.before
            after.setdefault(step.topic, {})["partitions"] = step.count
        elif isinstance(step, Delete):
            before[step.topic] = {"partitions": step.partitions}
        elif isinstance(step, Move):
            before.setdefault(step.topic, {})["replication_factor"] = format_alternatives(
                step.before
            )
            spec = step.spec.placement or step.spec.replication_factor
            after.setdefault(step.topic, {})["replication_factor"] = spec
        else:
            before.setdefault(step.topic, {})["config"] = dict(step.before)
            reset = dict.fromkeys(step.reset, "(default)")
            after.setdefault(step.topic, {})["config"] = {**step.config, **reset}
    return {"before": before, "after": after}
