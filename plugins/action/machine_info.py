# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Run the module between two readings of the control node's clock.

The machine reads its own clock in between, which bounds the offset to an interval. So clocks of two
machines can be compared without a connection between them.
"""

from __future__ import annotations

import time
from typing import Any

from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):
    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        before = time.time()
        result.update(self._execute_module(task_vars=task_vars))
        result["control_node_time"] = {"before": before, "after": time.time()}
        return result
