# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: steps
type: aggregate
author: The kafka-metal authors (!UNKNOWN)
short_description: Duration of each step of a run
description:
  - At the end of a run, or before its screen (M(metal.kafka.screen)), prints one line for each play
    with its seconds. At the end it also writes them to C(steps.json) in the state directory of the
    cluster, for reports. Without a cluster name in the inventory nothing is written.
  - The file's key C(typical) has the duration of each play from its last run with changes.
  - A run in check mode does not change the file. With the callbacks P(metal.kafka.plan#callback)
    and P(metal.kafka.screen_output#callback) nothing is printed or written. With
    P(metal.kafka.progress#callback) nothing is printed, unless with C(-v).
requirements:
  - named in C(callbacks_enabled)
options:
  folder:
    description: Directory for C(<cluster>/steps.json) instead of the state directory.
    type: path
    ini:
      - section: callback_steps
        key: folder
    env:
      - name: KAFKA_METAL_STEPS_FOLDER
"""

import json
import time
from pathlib import Path
from typing import Any

from ansible import constants, context
from ansible.plugins.callback import CallbackBase

from ..plugin_utils._operations.logged_callback import SCREEN
from ..plugin_utils._operations.timings import Steps, read, typical_durations
from ..plugin_utils._site.play_inventory import play_cluster, play_state_directory
from ..plugin_utils._site.state_directory import is_prepared

# Callbacks that display only a report or a result.
QUIET = ("metal.kafka.plan", "metal.kafka.screen_output")
# Prints a line per step itself, unless Ansible's own output is displayed.
PROGRESS = "metal.kafka.progress"


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "metal.kafka.steps"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self.steps = Steps()
        self.cluster: str | None = None
        self.folder: Path | None = None
        callback = constants.DEFAULT_STDOUT_CALLBACK
        self.shown = callback in QUIET or (callback == PROGRESS and not self._display.verbosity)

    def v2_playbook_on_play_start(self, play: Any) -> None:
        if self.cluster is None:
            self.cluster = play_cluster(play)
            folder = self.get_option("folder")
            self.folder = (
                Path(folder, self.cluster or "run") if folder else play_state_directory(play)
            )
        self.steps.begin(play.get_name().strip(), time.time())

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        self.steps.count("tasks")
        if task.action == SCREEN:
            self.show()

    def v2_playbook_on_handler_task_start(self, task: Any) -> None:
        self.steps.count("tasks")

    def v2_runner_on_ok(self, result: Any) -> None:
        if result._result.get("changed", False):
            self.steps.count("changed")

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        if not ignore_errors:
            self.steps.count("failed")

    def v2_runner_on_unreachable(self, result: Any) -> None:
        self.steps.count("failed")

    def v2_playbook_on_stats(self, stats: Any) -> None:
        if constants.DEFAULT_STDOUT_CALLBACK in QUIET or not self.steps.plays:
            return
        path = self.folder / "steps.json" if self.folder else None
        earlier: dict[str, float] = typical_durations(read(path)) if path else {}
        report = self.steps.report(self.cluster or "run", time.time(), earlier)
        self.show()
        if path is None or context.CLIARGS.get("check"):
            return
        try:
            if self.get_option("folder"):
                path.parent.mkdir(parents=True, exist_ok=True)
            elif not is_prepared(path.parent):
                # A directory that the run has refused is left as it is.
                return
            path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            self._display.warning(f"metal.kafka.steps: {path} was not written: {error}")

    def show(self) -> None:
        """Print the table once; a screen must come last."""
        if self.shown:
            return
        self.shown = True
        self.steps.end(time.time())
        self._display.banner("STEPS")
        for line in self.steps.lines():
            self._display.display(line)
