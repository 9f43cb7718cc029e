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

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible import constants
from ansible.plugins.callback.default import CallbackModule as Default

from ..plugin_utils._operations.run_log import RunLog
from ..plugin_utils._site.play_inventory import play_state_directory

SCREEN = "metal.kafka.screen"


class CallbackModule(Default):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "metal.kafka.screen_output"
    _display: Any

    def __init__(self) -> None:
        super().__init__()
        self.log = RunLog()
        self.screen = self._display
        self.verb = ""
        # The default output goes to the log; each event decides whether it is also displayed.
        self._display = self.log.display_of(self.screen)
        self.log.displayed = {} if self.screen.verbosity else None
        self.task = ""

    def v2_playbook_on_start(self, playbook: Any) -> None:
        self.verb = self.verb or Path(playbook._file_name).stem
        super().v2_playbook_on_start(playbook)

    def v2_playbook_on_play_start(self, play: Any) -> None:
        if self.log.path is None and (state := play_state_directory(play)) and state.is_dir():
            self.log.open(state / f"{self.verb}.log")
        super().v2_playbook_on_play_start(play)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        printed = result.task.action == SCREEN and result.result.get("printed")
        with self._displayed(result.task, not ignore_errors and not printed):
            super().v2_runner_on_failed(result, ignore_errors)

    def v2_runner_item_on_failed(self, result: Any) -> None:
        with self._displayed(result.task, not result.task.ignore_errors):
            super().v2_runner_item_on_failed(result)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        with self._displayed(result.task, not result.task.ignore_unreachable):
            super().v2_runner_on_unreachable(result)

    def v2_playbook_on_stats(self, stats: Any) -> None:
        super().v2_playbook_on_stats(stats)
        if stats.dark:
            where = f", see {self.log.path}" if self.log.path else ""
            line = f"{self.verb}: unreachable machines: {', '.join(sorted(stats.dark))}{where}"
            self.screen.display(line, constants.COLOR_UNREACHABLE, stderr=True)

    @contextmanager
    def _displayed(self, task: Any, wanted: bool) -> Iterator[None]:
        """Display the default output of an event, with the name of its task, if ``wanted``."""
        if not wanted or self.log.displayed is not None:
            yield
            return
        if self.task != task._uuid:
            self.task, self._last_task_banner = task._uuid, None
        # Standard output is only for the result, which may be a file of declarations.
        self.log.displayed = {"stderr": True}
        try:
            yield
        finally:
            self.log.displayed = None
