# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The plan: changes that a run in check mode predicts, each reported and counted once.

A ``changed`` result of a task counts as many changes as it has messages. Messages come from the
key ``steps`` of this collection's modules, from the diff of a container, or from a debug task that
stands for data a new host does not have yet. Otherwise the message is the task's name. Equal
messages for one host count once: a service is compared before it is applied, and both tasks may
report the same change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._problems.messages import printable_line
from .plan_changes import (
    BUILD,
    OTHER,
    RESTART,
    START,
    STOP,
    Change,
    changed_items,
    container_change,
    debug_messages,
    instance_label,
    predicted_change,
)

CONTAINER = ("community.docker.docker_container", "docker_container")
FILES = "metal.kafka.service_files"
# Fact that the role service sets in check mode for a container whose image does not exist yet.
PREDICTED = "__service_container_result"
DEBUG = ("ansible.builtin.debug", "debug")
# Modules that change the cluster, not the host they run on.
CLUSTER_WIDE = tuple(
    f"metal.kafka.{name}"
    for name in ("cluster_content", "topics", "users", "acls", "quotas", "reassign")
)
CLUSTER = "cluster"
# Name of the plan's own time in its summary.
COMPARISON = "comparison with hosts and cluster, as long as this plan"


# Assumed seconds of a batch of hosts, until a run of this cluster has been measured.
ASSUMED = {RESTART: 60.0, START: 40.0, STOP: 20.0, BUILD: 300.0, OTHER: 5.0}


@dataclass
class Play:
    """A play with its number of changed batches and the kinds of their changes."""

    name: str
    batches: int = 0
    kinds: set[str] = field(default_factory=set)


class Plan:
    """Results in the order of the run. Times are in seconds."""

    def __init__(self, cluster: str = "", typical: Mapping[str, float] | None = None) -> None:
        """Start without changes; ``typical`` are measured seconds of a batch by play."""
        self.cluster = cluster
        self.typical = dict(typical or {})
        self.hosts: dict[str, list[Change]] = {}
        self.notes: list[str] = []
        self.plays: list[Play] = []
        # Files that change, by host and container.
        self._files: dict[tuple[str, str], list[str]] = {}
        self._batch_counted = True

    def begin(self, play: str) -> None:
        """Begin a play, or the next batch of a serial play."""
        self._batch_counted = False
        if not self.plays or self.plays[-1].name != play:
            self.plays.append(Play(play))

    def note(self, result: Mapping[str, Any]) -> None:
        """Add messages that are no changes."""
        self.notes += [text for text in debug_messages(result) if text not in self.notes]

    def add(
        self, host: str, action: str, task: str, result: Mapping[str, Any], once: bool = False
    ) -> None:
        """Add the result of a task on a host; with ``once`` it counts for the cluster."""
        if action in DEBUG and not result.get("changed"):
            self.note(result)
        owner = CLUSTER if once or action in CLUSTER_WIDE else host
        for item, label in changed_items(result):
            for found in self.changes_of(host, action, task, item, label):
                self.keep(owner, found)

    def changes_of(
        self, host: str, action: str, task: str, result: Mapping[str, Any], label: str
    ) -> list[Change]:
        """Return the changes that a task's result on a host announces."""
        if action == FILES:
            self.remember_files(host, result)
        steps = result.get("steps")
        if steps is not None:
            return [Change(str(step), step_kind(str(step))) for step in steps]
        if action in CONTAINER and "diff" in result:
            name = self.container_name(task, result)
            return [container_change(name, result, self._files.get((host, name), ()))]
        predicted = (result.get("ansible_facts") or {}).get(PREDICTED)
        if predicted is not None:
            return [predicted_change(predicted, self.container_name(task, {}))]
        if action in DEBUG:
            return [Change(text, step_kind(text)) for text in debug_messages(result)]
        # Ansible puts the role's name before the task's name.
        text = task.rpartition(" : ")[2]
        return [Change(f"{text} ({label})" if label else text, named=True)]

    def container_name(self, task: str, result: Mapping[str, Any]) -> str:
        """Return a container's name without the cluster's name.

        The name comes from the engine, or from the label of a container to be created. The task's
        name is the last resort: Ansible renders it for the first host only.
        """
        found = (result.get("container") or {}).get("Name") or instance_label(result)
        return self.short(str(found or task.rpartition(": ")[2]).removeprefix("/"))

    def short(self, container: str) -> str:
        """Return the name of a container without the cluster's name."""
        return container.removeprefix(f"{self.cluster}-")

    def remember_files(self, host: str, result: Mapping[str, Any]) -> None:
        """Remember the changed files of a container, as reasons for its restart."""
        diffs = result.get("diff") or ()
        for each in (diffs,) if isinstance(diffs, Mapping) else diffs:
            folder, _, name = str(each.get("after_header", "")).rpartition("/")
            container = self.short(folder.rpartition("/")[2])
            files = self._files.setdefault((host, container), [])
            files += [name] if name not in files else []

    def keep(self, owner: str, found: Change) -> None:
        """Add a change if it is new, and count the batch of its play."""
        known = self.hosts.setdefault(owner, [])
        if found in known:
            return
        known.append(found)
        if self.plays:
            self.plays[-1].batches += not self._batch_counted
            self.plays[-1].kinds.add(found.kind)
            self._batch_counted = True

    @property
    def count(self) -> int:
        """Number of changes."""
        return sum(map(len, self.hosts.values()))

    def subjects(self, kind: str) -> list[str]:
        """Containers that start, stop or restart, in the order of the run."""
        return [
            each.subject
            for changes in self.hosts.values()
            for each in changes
            if each.kind == kind and each.subject
        ]

    def durations(self) -> list[tuple[Play, float, bool]]:
        """Plays with changes, seconds of each of their batches, and whether they are measured."""
        return [
            (
                play,
                self.typical.get(play.name, max(ASSUMED[kind] for kind in play.kinds)),
                play.name in self.typical,
            )
            for play in self.plays
            if play.batches
        ]

    def seconds(self, inspection: float) -> float:
        """Expected seconds of the run: those of the inspection plus those of all batches."""
        return inspection + sum(play.batches * each for play, each, _ in self.durations())

    def report(self, inspection: float, failed: Iterable[str]) -> dict[str, Any]:
        """Return the plan as data."""
        return {
            "cluster": self.cluster,
            "failed": sorted(failed),
            "changes": self.count,
            "hosts": {host: [each.text for each in found] for host, found in self.hosts.items()},
            "restarts": self.subjects(RESTART),
            "starts": self.subjects(START),
            "stops": self.subjects(STOP),
            "seconds": round(self.seconds(inspection)) if self.count else 0,
        }

    def lines(self, inspection: float, failed: Iterable[str]) -> list[str]:
        """Return the plan as text; its last line has the result in one of three forms."""
        lines = [f"note: {printable_line(text)}" for text in self.notes]
        for host, changes in self.hosts.items():
            lines += ["", host, *(f"  {printable_line(each.text)}" for each in changes)]
        if self.count:
            lines += ["", *self.summary(inspection)]
        broken = sorted(failed)
        if broken:
            return [*lines, f"plan: failed on {', '.join(broken)}; later changes are unknown"]
        return [*lines, f"plan: {self.count} changes" if self.count else "plan: nothing to do"]

    def summary(self, inspection: float) -> Iterator[str]:
        """Yield lines with the containers that restart, start and stop, and the duration."""
        for kind in (RESTART, START, STOP):
            if names := self.subjects(kind):
                yield f"{kind}: {', '.join(names)}"
        yield f"expected: {format_minutes(self.seconds(inspection))}"
        # A run compares before it changes anything, as this plan has done.
        yield f"  {inspection:.0f} s measured: {COMPARISON}"
        for play, each, measured in self.durations():
            source = "measured" if measured else "assumed"
            times = f"{play.batches} x {each:.0f} s" if play.batches > 1 else f"{each:.0f} s"
            yield f"  {times} {source}: {play.name}"


def step_kind(message: str) -> str:
    """Kind of a module's step: a build takes minutes, any other step seconds."""
    return BUILD if " is built" in message else OTHER


def format_minutes(seconds: float) -> str:
    """Text of a duration in minutes, rounded up."""
    count = max(1, -int(-seconds // 60))
    return "about 1 minute" if count == 1 else f"about {count} minutes"
