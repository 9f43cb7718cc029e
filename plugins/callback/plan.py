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
    "plan: N changes", or "plan: failed on ...". Progress goes to standard error, and so do failed
    tasks with their messages, as with P(metal.kafka.progress#callback), and then the path of the
    log.
  - The default output is written to C(<playbook>.log) in the state directory of the cluster,
    without differences of files. With C(-v) it is also displayed.
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
from pathlib import Path
from typing import Any

from ansible import constants

from ..plugin_utils._operations import timings
from ..plugin_utils._operations.logged_callback import LoggedCallback
from ..plugin_utils._operations.plan_report import Plan
from ..plugin_utils._site.play_inventory import play_cluster, play_state_directory


class CallbackModule(LoggedCallback):
    CALLBACK_NAME = "metal.kafka.plan"

    def __init__(self) -> None:
        super().__init__()
        self.plan: Plan | None = None
        self.play = ""
        self.began = time.time()

    def v2_playbook_on_play_start(self, play: Any) -> None:
        super().v2_playbook_on_play_start(play)
        if self.plan is None:
            cluster = play_cluster(play) or "run"
            state = play_state_directory(play)
            earlier = timings.typical_durations(timings.read(state / "steps.json")) if state else {}
            self.plan = Plan(cluster, earlier)
        name = play.get_name().strip()
        self.plan.begin(name)
        self.play = name

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        super().v2_playbook_on_task_start(task, is_conditional)
        # The play's name at its first task, because many plays have no hosts.
        if self.play and self.short:
            self.screen.display(f"... {self.play}", constants.COLOR_VERBOSE, stderr=True)
        self.play = ""

    def v2_runner_on_ok(self, result: Any) -> None:
        # The default output removes parts of the result.
        found = dict(result.result)
        super().v2_runner_on_ok(result)
        if self.plan is None:  # created by the first play
            return
        self.plan.add(
            result.host.get_name(),
            result.task.resolved_action or result.task.action,
            result.task.get_name(),
            found,
            once=bool(result.task.run_once),
        )

    def v2_on_file_diff(self, result: Any) -> None:
        # The plan has the changes; the log has no contents of files.
        if not self.short:
            super().v2_on_file_diff(result)

    def end(self, stats: Any) -> None:
        """Print the plan after the last playbook, or after a failed one, at which Ansible stops."""
        self.flush()
        failed = stats.failures.keys() | stats.dark.keys()
        if self.plan is not None:
            inspection = time.time() - self.began
            for line in self.plan.lines(inspection, failed):
                # Without colour, which may be forced: scripts parse the last line.
                self.screen.display(line)
            if path := self.get_option("plan_file"):
                report = self.plan.report(inspection, failed)
                Path(path).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        if failed:
            self.show_log()
