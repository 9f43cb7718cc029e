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
    tasks with their messages, as P(metal.kafka.progress#callback). At the end one line lists the
    unreachable machines. After a failure, the last line has the path of the log.
  - The default output is written to C(<playbook>.log) in the state directory of the cluster,
    without colours. With C(-v) it is also displayed.
  - A failure of M(metal.kafka.screen) because of problems is only displayed with C(-v), since its
    text lists the problems.
extends_documentation_fragment: [default_callback, result_format_callback]
"""

from typing import Any

from ansible import constants

from ..plugin_utils._operations.logged_callback import LoggedCallback


class CallbackModule(LoggedCallback):
    CALLBACK_NAME = "metal.kafka.screen_output"

    def end(self, stats: Any) -> None:
        self.flush()
        if stats.dark:
            line = f"{self.verb}: unreachable machines: {', '.join(sorted(stats.dark))}"
            self.screen.display(line, constants.COLOR_UNREACHABLE, stderr=True)
        if self.failures.all or stats.dark:
            self.show_log()
