# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: progress
type: stdout
author: The kafka-metal authors (!UNKNOWN)
short_description: One line per step with changes, failures in full, everything else in a log
description:
  - On a terminal, one line is replaced while the run lasts. It has the elapsed time, the step, its
    task, and the progress of a wait. Without a terminal, or without the Python package C(rich), it
    is printed if no other line was printed for O(interval) seconds.
  - >-
    Printed lines are: each play with changes, with its duration and its changes in words; the
    message C(msg) of each debug task; the output of M(metal.kafka.screen); warnings; failed and
    unreachable tasks with their messages in full; the result, with the path of the log. A failure
    that a rescue section handles, or that is ignored, is only in the log.
  - The default output is written to C(<playbook>.log) in the state directory of the cluster,
    without colours. With C(-v) it is displayed, and nothing else.
requirements:
  - rich, for the line that is replaced
options:
  interval:
    description:
      - Seconds without a printed line after which progress is printed, without a terminal.
      - At least 1 second.
    type: float
    default: 30
    ini:
      - section: callback_progress
        key: interval
    env:
      - name: KAFKA_METAL_PROGRESS_INTERVAL
extends_documentation_fragment: [default_callback, result_format_callback]
"""

import os
from typing import Any

from ansible import constants, context
from ansible.utils.color import ANSIBLE_COLOR

from ..plugin_utils._operations.logged_callback import SCREEN, LoggedCallback
from ..plugin_utils._operations.plan_changes import debug_messages
from ..plugin_utils._operations.plan_report import DEBUG
from ..plugin_utils._operations.progress_line import ProgressLine
from ..plugin_utils._operations.run_output import Colours, Output
from ..plugin_utils._site.play_inventory import play_cluster, play_machine

COLOURS = Colours(
    changed=constants.COLOR_CHANGED,
    failed=constants.COLOR_ERROR,
    ok=constants.COLOR_OK,
    used=ANSIBLE_COLOR,
)


class CallbackModule(LoggedCallback):
    CALLBACK_NAME = "metal.kafka.progress"

    def __init__(self) -> None:
        super().__init__()
        # None with -v: then only the default output is displayed.
        self.output: Output | None = None
        if self.short:
            self.output = Output(self.screen.display, COLOURS, self.failures)
            self.write_to_log(self.output.screen.show)
            self.show = self.screen.display
            # Warnings, screens, and lines that Ansible receives from processes of tasks.
            self.screen.display = self.display

    def display(self, msg: str, *arguments: Any, **options: Any) -> None:
        """Display what others print; in place of ``Display.display``."""
        # SIGTERM may set it to None between two uses.
        output = self.output
        if output is None or os.getpid() != self.run:
            # The process of a task: Ansible sends the line to the run.
            self.show(msg, *arguments, **options)
        elif isinstance(msg, ProgressLine):
            self.log.write(msg)
            output.wait(msg)
        elif options.get("log_only"):
            self.show(msg, *arguments, **options)
        else:
            self.log.write(msg)
            output.screen.show(msg, *arguments, **options)

    def v2_playbook_on_start(self, playbook: Any) -> None:
        super().v2_playbook_on_start(playbook)
        if self.output and self.playbooks == 1:
            self.output.check = context.CLIARGS["check"]
            self.output.screen.start(max(1.0, self.get_option("interval")))

    def v2_playbook_on_play_start(self, play: Any) -> None:
        super().v2_playbook_on_play_start(play)
        if self.output:
            if self.output.cluster is None:
                self.output.cluster = play_cluster(play) or ""
            self.output.machine = play_machine(play)
            self.output.play(play.get_name().strip())

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        super().v2_playbook_on_task_start(task, is_conditional)
        if self.output:
            self.output.task(task.get_name().strip())
            if task.action == SCREEN:
                self.output.end_step()

    def v2_playbook_on_handler_task_start(self, task: Any) -> None:
        super().v2_playbook_on_handler_task_start(task)
        if self.output:
            self.output.task(task.get_name().strip())

    def v2_runner_on_start(self, host: Any, task: Any) -> None:
        super().v2_runner_on_start(host, task)
        if self.output:
            self.output.started(host.get_name())

    def v2_runner_on_ok(self, result: Any) -> None:
        # The default output removes parts of the result.
        found = dict(result.result)
        super().v2_runner_on_ok(result)
        if self.output is None:
            return
        action = result.task.resolved_action or result.task.action
        host = result.host.get_name()
        self.output.ended(host)
        self.output.applied(host, action, result.task.get_name(), found, bool(result.task.run_once))
        if action in DEBUG and not found.get("changed") and "var" not in result.task.args:
            for each in found.get("results") or [found]:
                self.output.message(host, debug_messages(each))

    def v2_runner_on_skipped(self, result: Any) -> None:
        super().v2_runner_on_skipped(result)
        if self.output:
            self.output.ended(result.host.get_name())

    def v2_runner_retry(self, result: Any) -> None:
        super().v2_runner_retry(result)
        if self.output:
            found = result.result
            host = result.host.get_name()
            self.output.wait(f"{host}: attempt {found['attempts']} of {found['retries']}", host)

    def v2_runner_item_on_ok(self, result: Any) -> None:
        found = dict(result.result)
        super().v2_runner_item_on_ok(result)
        # Loops with loop_control.extended have their length.
        loop = found.get("ansible_loop")
        if self.output and isinstance(loop, dict) and loop.get("length", 0) > 1:
            done, length = loop["index"], loop["length"]
            line = ProgressLine(f"{done} of {length}", done, length)
            self.output.wait(line, result.host.get_name())

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        super().v2_runner_on_failed(result, ignore_errors)
        if self.output:
            self.output.ended(result.host.get_name())

    def v2_runner_on_unreachable(self, result: Any) -> None:
        super().v2_runner_on_unreachable(result)
        if self.output:
            self.output.ended(result.host.get_name())

    def v2_on_file_diff(self, result: Any) -> None:
        with self.displayed(result.task, context.CLIARGS["diff"]):
            super().v2_on_file_diff(result)

    def _handle_warnings(self, res: Any) -> None:
        before = self.log.displayed
        self.log.displayed = {} if self.output else before
        super()._handle_warnings(res)
        self.log.displayed = before

    def flush(self) -> None:
        if self.output:
            self.output.flush()

    def end(self, stats: Any) -> None:
        if self.output:
            output, self.output = self.output, None
            output.end(sorted(stats.failures), sorted(stats.dark))
            self.show_log()

    def end_early(self) -> None:
        """End the output of a run that ended before its result."""
        if self.output and os.getpid() == self.run:
            output, self.output = self.output, None
            output.end_early()
            self.show_log()

    def show_log(self) -> None:
        if line := self.log.last_line():
            self.screen.display(line)
