# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A plan: what the results of a run in check mode mean for an operator, said once and counted.

What counts: a result of a task that is ``changed`` counts as many changes as it has messages. They
come from the key ``steps`` of our own modules, from the diff of a container, from the message of a
debug task that stands for something a fresh host cannot be asked, and are otherwise the task's
name. The same sentence for the same host counts once, whichever tasks report it: a service is
compared before it is applied, and the comparison may tell the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._common.messages import visible
from .plan_changes import (
    BUILD,
    OTHER,
    RESTART,
    START,
    STOP,
    Change,
    changed_items,
    container_change,
    instance_label,
    messages_of_debug,
    predicted_change,
)

CONTAINER = ("community.docker.docker_container", "docker_container")
FILES = "metal.kafka.service_files"
# Stands for a container whose image is not there yet: made by the role service in check mode.
PREDICTED = "__service_found"
DEBUG = ("ansible.builtin.debug", "debug")
# What they change belongs to the cluster, not to the host that speaks for it.
CLUSTER_WIDE = tuple(
    f"metal.kafka.{name}"
    for name in ("cluster_content", "topics", "users", "acls", "quotas", "reassign")
)
CLUSTER = "cluster"


# Seconds of a batch of hosts, while no run of this cluster has been measured.
ASSUMED = {RESTART: 60.0, START: 40.0, STOP: 20.0, BUILD: 300.0, OTHER: 5.0}


@dataclass
class Play:
    """Batches of one play in which something changes, and the slowest kind of these changes."""

    name: str
    batches: int = 0
    kinds: set[str] = field(default_factory=set)


class Plan:
    """Collects results in the order of the run. Times are seconds."""

    def __init__(self, cluster: str = "", typical: Mapping[str, float] | None = None) -> None:
        """Nothing changes yet; ``typical`` are measured seconds of a batch by play."""
        self.cluster = cluster
        self.typical = dict(typical or {})
        self.hosts: dict[str, list[Change]] = {}
        self.notes: list[str] = []
        self.plays: list[Play] = []
        # Files that change, by host and container.
        self._files: dict[tuple[str, str], list[str]] = {}
        self._batch_counted = True

    def begin(self, play: str) -> None:
        """A play begins, or the next batch of a serial one."""
        self._batch_counted = False
        if not self.plays or self.plays[-1].name != play:
            self.plays.append(Play(play))

    def note(self, result: Mapping[str, Any]) -> None:
        """Something that the operator is to read and that changes nothing."""
        self.notes += [text for text in messages_of_debug(result) if text not in self.notes]

    def add(
        self, host: str, action: str, task: str, result: Mapping[str, Any], once: bool = False
    ) -> None:
        """The result of a task on a host; ``once`` says that it speaks for all hosts."""
        if action in DEBUG and not result.get("changed"):
            self.note(result)
        owner = CLUSTER if once or action in CLUSTER_WIDE else host
        for item, label in changed_items(result):
            for found in self.changes_of(host, action, task, item, label):
                self.keep(owner, found)

    def changes_of(
        self, host: str, action: str, task: str, result: Mapping[str, Any], label: str
    ) -> list[Change]:
        """The messages of one changed result."""
        if action == FILES:
            self.remember_files(host, result)
        steps = result.get("steps")
        if steps is not None:
            return [Change(str(step), kind_of(str(step))) for step in steps]
        if action in CONTAINER and "diff" in result:
            name = self.container_name(task, result)
            return [container_change(name, result, self._files.get((host, name), ()))]
        predicted = (result.get("ansible_facts") or {}).get(PREDICTED)
        if predicted is not None:
            return [predicted_change(predicted, self.container_name(task, {}))]
        if action in DEBUG:
            return [Change(text, kind_of(text)) for text in messages_of_debug(result)]
        # The name of the role stands before that of the task.
        text = task.rpartition(" : ")[2]
        return [Change(f"{text} ({label})" if label else text)]

    def container_name(self, task: str, result: Mapping[str, Any]) -> str:
        """A container's name without the cluster's.

        As the engine says it, or for one that is nowhere yet as its label does. The name of the
        task is the last resort: it is the same for all hosts, as the first of them has it.
        """
        found = (result.get("container") or {}).get("Name") or instance_label(result)
        return self.short(str(found or task.rpartition(": ")[2]).removeprefix("/"))

    def short(self, container: str) -> str:
        """The name of a container without that of the cluster."""
        return container.removeprefix(f"{self.cluster}-")

    def remember_files(self, host: str, result: Mapping[str, Any]) -> None:
        """Which files of a container change: a reason to restart it, if it does."""
        diffs = result.get("diff") or ()
        for each in (diffs,) if isinstance(diffs, Mapping) else diffs:
            folder, _, name = str(each.get("after_header", "")).rpartition("/")
            container = self.short(folder.rpartition("/")[2])
            files = self._files.setdefault((host, container), [])
            files += [name] if name not in files else []

    def keep(self, owner: str, found: Change) -> None:
        """Count a change unless it is known, and the batch of its play."""
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
        """Plays that change something, seconds of each of their batches, and whether measured."""
        return [
            (
                play,
                self.typical.get(play.name, max(ASSUMED[kind] for kind in play.kinds)),
                play.name in self.typical,
            )
            for play in self.plays
            if play.batches
        ]

    def seconds(self, looking: float) -> float:
        """Expected seconds of the run: those of looking, and those of every batch."""
        return looking + sum(play.batches * each for play, each, _ in self.durations())

    def report(self, looking: float, failed: Iterable[str]) -> dict[str, Any]:
        """The plan as data."""
        return {
            "cluster": self.cluster,
            "failed": sorted(failed),
            "changes": self.count,
            "hosts": {host: [each.text for each in found] for host, found in self.hosts.items()},
            "restarts": self.subjects(RESTART),
            "starts": self.subjects(START),
            "stops": self.subjects(STOP),
            "seconds": round(self.seconds(looking)) if self.count else 0,
        }

    def lines(self, looking: float, failed: Iterable[str]) -> list[str]:
        """The plan for people; its last line says the outcome in one form of three."""
        lines = [f"note: {visible(text)}" for text in self.notes]
        for host, changes in self.hosts.items():
            lines += ["", host, *(f"  {visible(each.text)}" for each in changes)]
        if self.count:
            lines += ["", *self.summary(looking)]
        broken = sorted(failed)
        if broken:
            return [*lines, f"plan: failed on {', '.join(broken)}; what follows it is not known"]
        return [*lines, f"plan: {self.count} changes" if self.count else "plan: nothing to do"]

    def summary(self, looking: float) -> Iterator[str]:
        """What an operator asks first: who goes down, and how long it takes."""
        for kind in (RESTART, START, STOP):
            if names := self.subjects(kind):
                yield f"{kind}: {', '.join(names)}"
        yield f"expected: {minutes(self.seconds(looking))}"
        for play, each, measured in self.durations():
            source = "measured" if measured else "assumed"
            times = f"{play.batches} x {each:.0f} s" if play.batches > 1 else f"{each:.0f} s"
            yield f"  {times} {source}: {play.name}"


def kind_of(sentence: str) -> str:
    """Building takes minutes; any other step of a module takes moments."""
    return BUILD if " is built" in sentence else OTHER


def minutes(seconds: float) -> str:
    """Minutes, rounded up; a promise of seconds would be none."""
    count = max(1, -int(-seconds // 60))
    return "about 1 minute" if count == 1 else f"about {count} minutes"
