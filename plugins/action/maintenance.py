# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Run the module; an unreachable machine does not fail an operation on the others."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleConnectionFailure
from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):
    _supports_check_mode = True

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        super().run(tmp, task_vars)
        try:
            return dict(self._execute_module(task_vars=task_vars))
        except AnsibleConnectionFailure:
            return {"changed": False, "reached": False}
