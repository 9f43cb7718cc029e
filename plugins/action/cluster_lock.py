# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The module of the same name, with what only the control node knows: who asks, and who is dead."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Any

from ansible.errors import AnsibleConnectionFailure
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ..module_utils._host import operation_lock

display = Display()
# In these states a lock of another operation is no error.
ENDS = ("absent", "deleted")


class ActionModule(ActionBase):
    _supports_check_mode = True

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        super().run(tmp, task_vars)
        # A task runs in a child; its parent is the run of Ansible, which lives as long as the play.
        me = operation_lock.owner_of(os.getppid())
        spec = {**self._task.args, "owner": asdict(me)}
        try:
            found: dict[str, Any] = self._execute_module(module_args=spec, task_vars=task_vars)
            if found.get("failed") or found["taken"] or spec.get("state") in ENDS:
                return found
            other = found["lock"]
            if not operation_lock.dead(operation_lock.Owner(**other["owner"]), me):
                return found
            found = self._execute_module(
                module_args={**spec, "replace": other["token"]}, task_vars=task_vars
            )
            if found.get("taken") or found.get("released"):
                # Another operation has nothing to go on with.
                what = "resuming after an" if found["resumed"] else "the lock is released of an"
                display.display(
                    f"  {what} interrupted operation: {other['operation']}, by "
                    f"{other['owner']['user']}, process {other['owner']['pid']}"
                )
            return found
        except AnsibleConnectionFailure as error:
            # A machine that is down has nobody at work on it; the others know.
            display.warning(f"the lock is not on every machine: {error}")
            nobody = operation_lock.result(operation_lock.Lock("", me, 0), taken=True)
            return {"changed": False, "reached": False, "steps": [], **nobody}
