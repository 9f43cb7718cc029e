# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Presence of a long waiting task: it renews the alert silence, and ends when its run ends.

If a run is killed, the processes of its tasks remain. They must neither renew the silence nor
continue.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleError

MODULE = "metal.kafka.maintenance"
# Seconds. Without renewal, a silence expires after 300 s.
EVERY_S = 60


class Presence:
    """Presence of an action plugin whose task waits."""

    def __init__(self, action: Any, task_vars: Mapping[str, Any] | None) -> None:
        """Remember the run's process, the parent of the task's process."""
        self._action, self._task_vars = action, task_vars or {}
        self._run = os.getppid()
        self._renewed = time.monotonic()
        # Fact of the role roll; empty or missing outside an operation, or without monitoring.
        self._place = self._task_vars.get("roll_presence") or {}

    def keep(self) -> None:
        """Renew the silence every EVERY_S seconds; raises AnsibleError if the run has ended."""
        if os.getppid() != self._run:
            raise AnsibleError("the run of this task was killed, so the task ends")
        if not self._place or time.monotonic() - self._renewed < EVERY_S:
            return
        self._renewed = time.monotonic()
        self._action._execute_module(
            module_name=MODULE,
            module_args={
                **self._place,
                "state": "renewed",
                "host": self._task_vars.get("inventory_hostname", ""),
            },
            task_vars=self._task_vars,
        )
