# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Run the module in a loop: short checks, and a line of output for each progress."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ..module_utils._problems.messages import shorten_list
from ..plugin_utils._operations import progress_line, wait_progress
from ..plugin_utils._operations.task_presence import Presence

display = Display()
MOST_NAMED = 10


class ActionModule(ActionBase):
    _supports_check_mode = True

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        super().run(tmp, task_vars)
        spec = dict(self._task.args)
        begun = time.monotonic()
        follow = wait_progress.Progress(float(spec.get("stall_timeout", 300)), begun, moved=begun)
        name = str(spec.get("name") or "")
        steps: list[str] = []
        changed = False
        presence = Presence(self, task_vars)
        while True:
            presence.keep()
            found: dict[str, Any] = self._execute_module(module_args=spec, task_vars=task_vars)
            if found.get("failed"):
                return found
            steps += found["steps"]
            changed = changed or found["changed"]
            found |= {"seconds": time.monotonic() - begun, "steps": steps, "changed": changed}
            if is_done(found):
                warn_of_unprotected(found)
                return found
            moment = time.monotonic()
            now = wait_progress.observe(
                found, [int(b) for b in spec.get("expect_brokers") or []], name
            )
            if text := follow.see(moment, now):
                progress_line.show(
                    f"  {self._task_host(task_vars)}: {text}", follow.done, follow.total
                )
            if follow.crashes(moment, now):
                return found | failure(crash_message(found, name))
            if follow.stalled(moment):
                return found | failure(stall_message(found, follow.stall_timeout))
            time.sleep(float(spec.get("interval", 2)))

    @staticmethod
    def _task_host(task_vars: dict[str, Any] | None) -> str:
        return str((task_vars or {}).get("inventory_hostname", ""))


def is_done(found: Mapping[str, Any]) -> bool:
    """Whether the desired state is reached."""
    return bool(found["stop"]["safe"] if "stop" in found else found["healthy"])


def failure(text: str) -> dict[str, Any]:
    return {"failed": True, "msg": text}


def crash_message(found: Mapping[str, Any], name: str) -> str:
    """Return the error for a container that crashes repeatedly."""
    container = found["container"]
    return (
        f"The container of {name or 'the broker'} crashes repeatedly: restarted "
        f"{container['restarts']} times, last with exit code {container['exit_code']}."
    )


def stall_message(found: Mapping[str, Any], stall_timeout: float) -> str:
    """Return the error for a wait without progress; ``stall_timeout`` in seconds."""
    reasons = found.get("stop", {}).get("blockers") or found["problems"]
    rest = len(reasons) - MOST_NAMED
    more = f"; and {rest} more" if rest > 0 else ""
    return f"No progress for {stall_timeout:g} s: {'; '.join(reasons[:MOST_NAMED])}{more}."


def warn_of_unprotected(found: Mapping[str, Any]) -> None:
    """Warn of partitions that are unavailable during a restart in any order."""
    names = found.get("stop", {}).get("unprotected") or []
    if names:
        display.warning(
            f"without a spare replica, and unavailable while the broker restarts: "
            f"{shorten_list(names, MOST_NAMED)}"
        )
