# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: plan
type: stdout
author: The kafka-metal authors (!UNKNOWN)
short_description: Plan of the changes of a run in check mode
description:
  - >-
    Displays no tasks. At the end it prints the changes of each host, the containers that start or
    restart with the reasons, and the expected time. The last line is "plan: nothing to do",
    "plan: N changes", or "plan: failed on ...". Failures are displayed at once; progress goes to
    standard error.
  - With C(-v) the default output is also displayed.
  - The key C(steps) of a changed result, a list of messages, has its changes.
requirements:
  - a run in check mode with diffs
options:
  plan_file:
    description: File to which the plan is written as JSON; none by default.
    type: path
    ini:
      - section: callback_plan
        key: file
    env:
      - name: KAFKA_METAL_PLAN_FILE
extends_documentation_fragment: [default_callback, result_format_callback]
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible import constants
from ansible.plugins.callback.default import CallbackModule as Default

from ..plugin_utils._operations import timings
from ..plugin_utils._operations.logged_callback import ends_run
from ..plugin_utils._operations.plan_report import Plan
from ..plugin_utils._site.play_inventory import play_cluster, play_state_directory

# Events of the default output that are only displayed with -v.
VERBOSE_EVENTS = (
    "v2_on_file_diff",
    "v2_playbook_on_handler_task_start",
    "v2_playbook_on_include",
    "v2_playbook_on_no_hosts_matched",
    "v2_playbook_on_notify",
    "v2_playbook_on_play_start",
    "v2_playbook_on_start",
    "v2_playbook_on_stats",
    "v2_playbook_on_task_start",
    "v2_runner_item_on_ok",
    "v2_runner_item_on_skipped",
    "v2_runner_on_ok",
    "v2_runner_on_skipped",
    "v2_runner_on_start",
    "v2_runner_retry",
)


class CallbackModule(Default):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "metal.kafka.plan"

    def __init__(self) -> None:
        super().__init__()
        self.plan: Plan | None = None
        self.play = ""
        self.began = time.time()
        self.playbooks = 0

    def begin(self, play: Any) -> None:
        if self.plan is None:
            cluster = play_cluster(play) or "run"
            state = play_state_directory(play)
            earlier = timings.typical_durations(timings.read(state / "steps.json")) if state else {}
            self.plan = Plan(cluster, earlier)
        name = play.get_name().strip()
        self.plan.begin(name)
        self.play = name

    def progress(self) -> None:
        """Print the play's name at its first task, because many plays have no hosts."""
        if self.play and not self._display.verbosity:
            self._display.display(f"... {self.play}", constants.COLOR_VERBOSE, stderr=True)
        self.play = ""

    def add(self, result: Any) -> None:
        if self.plan is None:  # created by the first play
            return
        self.plan.add(
            result.host.get_name(),
            result.task.resolved_action or result.task.action,
            result.task.get_name(),
            result.result,
            once=bool(result.task.run_once),
        )

    def finish(self, stats: Any) -> None:
        """Print the plan after the last playbook, or after a failed one, at which Ansible stops."""
        self.playbooks += 1
        if self.plan is None or not ends_run(stats, self.playbooks):
            return
        failed = stats.failures.keys() | stats.dark.keys()
        inspection = time.time() - self.began
        for line in self.plan.lines(inspection, failed):
            # Without colour, which may be forced: scripts parse the last line.
            self._display.display(line)
        if path := self.get_option("plan_file"):
            report = self.plan.report(inspection, failed)
            Path(path).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


# Handlers that run before the default output of an event.
HANDLERS: dict[str, Callable[..., None]] = {
    "v2_playbook_on_play_start": lambda self, play: self.begin(play),
    "v2_playbook_on_task_start": lambda self, task, is_conditional: self.progress(),
    "v2_runner_on_ok": lambda self, result: self.add(result),
}


def _quiet(name: str) -> Callable[..., None]:
    """Method for an event: calls its handler, and the default output only with C(-v)."""
    default = getattr(Default, name)

    def method(self: CallbackModule, *args: Any, **kwargs: Any) -> None:
        if name in HANDLERS:
            HANDLERS[name](self, *args, **kwargs)
        if self._display.verbosity:
            default(self, *args, **kwargs)
        if name == "v2_playbook_on_stats":
            self.finish(*args, **kwargs)

    method.__name__ = name
    return method


for _name in VERBOSE_EVENTS:
    setattr(CallbackModule, _name, _quiet(_name))
