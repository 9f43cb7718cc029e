# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: answer
type: stdout
author: The kafka-metal authors (!UNKNOWN)
short_description: Only what a verb answers, and what fails
description:
  - Displays what M(metal.kafka.screen) prints; on standard error, tasks that fail or find a machine
    unreachable. At the end one line names the unreachable machines.
  - The usual output is written to C(<playbook>.log) in the state directory of the cluster, without
    colours. With C(-v) it is displayed as well.
  - That M(metal.kafka.screen) fails for its problems is displayed with C(-v) only. Its text names
    them.
extends_documentation_fragment: [default_callback, result_format_callback]
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible import constants
from ansible.plugins.callback.default import CallbackModule as Default

from ..plugin_utils._operations.run_log import RunLog
from ..plugin_utils._site.play_inventory import state_of

SCREEN = "metal.kafka.screen"


class CallbackModule(Default):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "metal.kafka.answer"
    _display: Any

    def __init__(self) -> None:
        super().__init__()
        self.log = RunLog()
        self.screen = self._display
        self.verb = ""
        # The usual output goes here; what is displayed as well is decided for each event.
        self._display = self.log.display_of(self.screen)
        self.log.displayed = {} if self.screen.verbosity else None
        self.task = ""

    def v2_playbook_on_start(self, playbook: Any) -> None:
        self.verb = self.verb or Path(playbook._file_name).stem
        super().v2_playbook_on_start(playbook)

    def v2_playbook_on_play_start(self, play: Any) -> None:
        if self.log.path is None and (state := state_of(play)) and state.is_dir():
            self.log.open(state / f"{self.verb}.log")
        super().v2_playbook_on_play_start(play)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        answered = result.task.action == SCREEN and result.result.get("printed")
        with self._in_full(result.task, not ignore_errors and not answered):
            super().v2_runner_on_failed(result, ignore_errors)

    def v2_runner_item_on_failed(self, result: Any) -> None:
        with self._in_full(result.task, not result.task.ignore_errors):
            super().v2_runner_item_on_failed(result)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        with self._in_full(result.task, not result.task.ignore_unreachable):
            super().v2_runner_on_unreachable(result)

    def v2_playbook_on_stats(self, stats: Any) -> None:
        super().v2_playbook_on_stats(stats)
        if stats.dark:
            where = f", see {self.log.path}" if self.log.path else ""
            line = f"{self.verb}: machines did not answer: {', '.join(sorted(stats.dark))}{where}"
            self.screen.display(line, constants.COLOR_UNREACHABLE, stderr=True)

    @contextmanager
    def _in_full(self, task: Any, shown: bool) -> Iterator[None]:
        """Display what the usual output says meanwhile, below the name of the task."""
        if not shown or self.log.displayed is not None:
            yield
            return
        if self.task != task._uuid:
            self.task, self._last_task_banner = task._uuid, None
        # Standard output has the answer alone: it may be a file of declarations.
        self.log.displayed = {"stderr": True}
        try:
            yield
        finally:
            self.log.displayed = None
