# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Changes that a step has made, in words."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ...module_utils._problems.messages import printable_line, shorten_list
from .plan_changes import RESTART, START, STOP, Change
from .plan_report import CLUSTER, CONTAINER, Plan

# Texts in the line of a step, and hosts or containers of one text.
MOST_TEXTS = 3
STEP_HOSTS = 5
DONE = {START: "started", RESTART: "restarted", STOP: "stopped"}
# Largest assumed difference between the clocks of a host and the control node, in seconds.
CLOCK_S = 600


class Applied(Plan):
    """Changes of one step. Results of a real run have no differences of containers."""

    def __init__(self, cluster: str = "") -> None:
        """Start without changes."""
        super().__init__(cluster)
        self._begun = time.time()

    def changes_of(
        self, host: str, action: str, task: str, result: Mapping[str, Any], label: str
    ) -> list[Change]:
        """Return the changes in a task's result on a host."""
        found = result.get("container") or {}
        if action not in CONTAINER or "diff" in result or "State" not in found:
            return super().changes_of(host, action, task, result, label)
        if "Output" in found:
            # The container ran to its end within the task.
            return super().changes_of(host, action, task, {}, label)
        name, state = self.container_name(task, result), found["State"]
        if not state.get("Running"):
            return [Change(f"container {name} is stopped", STOP, name)]
        if self._is_old(str(state.get("StartedAt"))):
            return [Change(f"container {name} is updated")]
        return [Change(f"container {name} is started", START, name)]

    def _is_old(self, moment: str) -> bool:
        """Whether a container started before this step; ``moment`` is in UTC."""
        try:
            started = datetime.fromisoformat(f"{moment[:19]}+00:00").timestamp()
        except ValueError:
            return False
        return started < self._begun - CLOCK_S

    def changed_hosts(self) -> set[str]:
        """Return the hosts with changes."""
        return {host for host, changes in self.hosts.items() if changes and host != CLUSTER}

    def summary_line(self) -> str:
        """Return the changes in one line: containers first, then equal texts with their hosts."""
        phrases = []
        for kind, verb in DONE.items():
            names = list(dict.fromkeys(self.subjects(kind)))
            if names:
                noun = "container" if len(names) == 1 else "containers"
                phrases.append(f"{len(names)} {noun} {verb}: {shorten_list(names, STEP_HOSTS)}")
        others = self._owners()
        for (text, named), owners in list(others.items())[:MOST_TEXTS]:
            hosts = sorted(owner for owner in owners if owner != CLUSTER)
            # The rest of a task's name is about its first host.
            short = text.partition(": ")[0] if named and len(hosts) > 1 else text
            phrases.append(f"{short} on {shorten_list(hosts, STEP_HOSTS)}" if hosts else text)
        if (rest := len(others) - MOST_TEXTS) > 0:
            phrases.append(f"and {rest} more")
        return printable_line("; ".join(phrases))

    def _owners(self) -> dict[tuple[str, bool], list[str]]:
        """Return the owners of each text about no container, and whether it is a task's name."""
        owners: dict[tuple[str, bool], list[str]] = {}
        for owner, changes in self.hosts.items():
            for each in changes:
                if not (each.subject and each.kind in DONE):
                    owners.setdefault((each.text, each.named), []).append(owner)
        return owners
