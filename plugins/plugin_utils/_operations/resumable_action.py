# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Base of action plugins that call a module repeatedly until its work is done."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ansible.plugins.action import ActionBase

from ...module_utils._common.units import size_text
from . import progress_line
from .remaining_work import RemainingWork, remaining_suffix
from .task_presence import Presence

STALL_TIMEOUT = 600


def progress_text(work: RemainingWork) -> str:
    """Text of the progress: ``1.0 GiB of 4.0 GiB, about 3 min left``."""
    done = f"{size_text(work.total - work.left)} of {size_text(work.total)}"
    return done + (remaining_suffix(work.seconds()) if work.left else "")


class ResumableAction(ActionBase):
    """Call the module until it returns ``done``; fail if ``remaining`` does not shrink.

    With ``RELEASES`` the module's stage ``release``, which undoes temporary changes, is called
    after a failure.
    """

    RELEASES = False

    def run(
        self, tmp: str | None = None, task_vars: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Call the module repeatedly, print progress, and return the steps of all calls."""
        super().run(tmp, task_vars)
        arguments = dict(self._task.args)
        name = self._task.action
        work, phase = RemainingWork(), None
        steps: list[str] = []
        changed = False
        presence = Presence(self, task_vars)
        while True:
            presence.keep()
            result: dict[str, Any] = self._execute_module(name, arguments, task_vars=task_vars)
            changed = changed or result.get("changed", False)
            steps = steps or result.get("steps", [])
            result.update(changed=changed, steps=steps)
            if result.get("failed") or result.get("done") or self._task.check_mode:
                break
            if result.get("phase") != phase:
                # Each phase has its own amount, which may be larger than before.
                work, phase = RemainingWork(), result["phase"]
            work.note(time.monotonic(), result["remaining"])
            if (stalled := work.stalled(time.monotonic())) > int(
                arguments.get("stall_timeout", STALL_TIMEOUT)
            ):
                pending = "; ".join(result.get("waits_for") or result.get("steps", []))
                result.update(
                    failed=True,
                    msg=f"no progress for {stalled:.0f} s: {pending}",
                )
                break
            host = (task_vars or {}).get("inventory_hostname", "")
            progress_line.show(
                f"{host}: {progress_text(work)}", work.total - work.left, work.total, "bright blue"
            )
        if result.get("failed") and self.RELEASES:
            self._execute_module(name, {**arguments, "stage": "release"}, task_vars=task_vars)
        return result
