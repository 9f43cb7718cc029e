# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the module of the same name between two looks at the control node's clock.

The machine read its own clock in between, so that the offset is known to lie in an interval, and
clocks of two machines can be compared without one asking the other.
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
        result["asked"] = {"before": before, "after": time.time()}
        return result
