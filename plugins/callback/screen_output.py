# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: screen_output
type: stdout
author: The kafka-metal authors (!UNKNOWN)
short_description: Only the result of a verb, and failures
description:
  - Displays the output of M(metal.kafka.screen), and on standard error failed and unreachable
    tasks. At the end one line lists the unreachable machines.
  - The default output is written to C(<playbook>.log) in the state directory of the cluster,
    without colours. With C(-v) it is also displayed.
  - A failure of M(metal.kafka.screen) because of problems is only displayed with C(-v), since its
    text lists the problems.
extends_documentation_fragment: [default_callback, result_format_callback]
"""

from typing import Any

from ansible import constants

from ..plugin_utils._operations.logged_callback import SCREEN, LoggedCallback

# Standard output is only for the result, which may be a file of declarations.
ON_STDERR = {"stderr": True}


class CallbackModule(LoggedCallback):
    CALLBACK_NAME = "metal.kafka.screen_output"

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        printed = result.task.action == SCREEN and result.result.get("printed")
        with self.displayed(result.task, not ignore_errors and not printed, **ON_STDERR):
            super().v2_runner_on_failed(result, ignore_errors)

    def v2_runner_item_on_failed(self, result: Any) -> None:
        with self.displayed(result.task, not result.task.ignore_errors, **ON_STDERR):
            super().v2_runner_item_on_failed(result)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        with self.displayed(result.task, not result.task.ignore_unreachable, **ON_STDERR):
            super().v2_runner_on_unreachable(result)

    def v2_playbook_on_stats(self, stats: Any) -> None:
        super().v2_playbook_on_stats(stats)
        if stats.dark:
            where = f", see {self.log.path}" if self.log.path else ""
            line = f"{self.verb}: unreachable machines: {', '.join(sorted(stats.dark))}{where}"
            self.screen.display(line, constants.COLOR_UNREACHABLE, stderr=True)
