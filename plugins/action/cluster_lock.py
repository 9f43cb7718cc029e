# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Run the module with facts of the control node: the owner of the lock, and dead owners."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Any

from ansible.errors import AnsibleConnectionFailure
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ..module_utils._host import operation_lock

display = Display()
# In these states a lock of another operation is not taken over.
ENDS = ("absent", "deleted")


class ActionModule(ActionBase):
    _supports_check_mode = True

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        super().run(tmp, task_vars)
        # A task runs in a child process; its parent is the run of Ansible, which lives longer.
        me = operation_lock.lock_owner(os.getppid())
        spec = {**self._task.args, "owner": asdict(me)}
        try:
            found: dict[str, Any] = self._execute_module(module_args=spec, task_vars=task_vars)
            if found.get("failed") or found["acquired"] or spec.get("state") in ENDS:
                return found
            other = found["lock"]
            if not operation_lock.has_ended(operation_lock.Owner(**other["owner"]), me):
                return found
            found = self._execute_module(
                module_args={**spec, "replace": other["token"]}, task_vars=task_vars
            )
            if found.get("acquired") or found.get("released"):
                # A different operation resumes nothing.
                what = "resuming an" if found["resumed"] else "released the lock of an"
                display.display(
                    f"  {what} interrupted operation: {other['operation']}, by "
                    f"{other['owner']['user']}, process {other['owner']['pid']}"
                )
            return found
        except AnsibleConnectionFailure as error:
            # No operation can run on an unreachable machine; the locks of the others suffice.
            display.warning(f"the lock is not on every machine: {error}")
            no_lock = operation_lock.result(operation_lock.Lock("", me, 0), acquired=True)
            return {"changed": False, "reached": False, "steps": [], **no_lock}
