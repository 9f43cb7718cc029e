# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Of a task that waits for minutes: it renews the silence of alerts, and ends when its run ends.

A killed run leaves the process of its task behind, which must neither keep alerts silent nor go on.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleError

MODULE = "metal.kafka.maintenance"
# Alerts are silent for 300 s without renewal.
EVERY_S = 60


class Presence:
    """Of the action plugin whose task waits."""

    def __init__(self, action: Any, task_vars: Mapping[str, Any] | None) -> None:
        """Remember the run, which is the parent of the task's process."""
        self._action, self._task_vars = action, task_vars or {}
        self._run = os.getppid()
        self._renewed = time.monotonic()
        # A fact of the role roll; empty or missing outside of an operation, or without monitoring.
        self._place = self._task_vars.get("roll_presence") or {}

    def keep(self) -> None:
        """Renew now and then; raises AnsibleError when the run has ended."""
        if os.getppid() != self._run:
            raise AnsibleError("the run that this task belongs to was killed: the task ends too")
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
