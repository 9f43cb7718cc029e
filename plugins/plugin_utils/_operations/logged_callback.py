# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Base of callbacks that display a part of a run, and write Ansible's own output to a log.

It displays failed tasks in the same short form for all of them.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible import constants, context
from ansible.plugins.callback.default import CallbackModule as Default

from .._site.play_inventory import play_state_directory
from .._site.state_directory import is_prepared
from .failure_text import Failures
from .run_log import RunLog
from .task_blocks import is_rescue, is_rescued
from .termination import before_termination

# Module that prints a verb's screen.
SCREEN = "metal.kafka.screen"
# Ansible's exit code of a run with failed hosts.
FAILED = 2


def verb_of(playbooks: list[str]) -> str:
    """Return the name of a run: its last playbook that is no internal one."""
    names = [Path(each).name.removesuffix(".yml").removesuffix(".yaml") for each in playbooks]
    # A playbook of a collection is named as metal.kafka.status.
    names = [name.rpartition(".")[2] for name in names]
    return next((name for name in reversed(names) if not name.startswith("internal_")), names[-1])


def ends_run(stats: Any, playbooks: int) -> bool:
    """Whether playbook number ``playbooks`` is the last; Ansible stops at a failed one."""
    more = playbooks < len(context.CLIARGS.get("args") or ())
    return bool(stats.failures or stats.dark or not more)


class LoggedCallback(Default):
    """The default output, in ``<verb>.log`` of the state directory; with -v it is displayed.

    Without -v, failures are displayed in short: hosts, task, and message.
    """

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    _display: Any

    def __init__(self) -> None:
        """Start with an empty log in memory."""
        super().__init__()
        self.log = RunLog()
        self.screen = self._display
        self.verb = ""
        self.task = ""
        # With -v, the default output has the failures.
        self.short = not self.screen.verbosity
        self.failures = Failures()
        self.playbooks = 0
        self.run = os.getpid()
        self.ended = False
        self.write_to_log()

    def write_to_log(self, show: Callable[..., None] | None = None) -> None:
        """Write the default output to the log; each event decides whether it is also displayed."""
        self._display = self.log.display_of(self.screen, show)
        self.log.displayed = {} if self.screen.verbosity else None

    def flush(self) -> None:
        """Display the failures of the task that has ended."""
        if lines := self.failures.take():
            # Standard output is only for the result of a verb.
            self.screen.display("\n".join(lines), constants.COLOR_ERROR, stderr=True)

    def end(self, stats: Any) -> None:
        """Display the end of the run, after the last playbook."""
        self.flush()
        if stats.failures or stats.dark:
            self.show_log()

    def end_early(self) -> None:
        """Display the end of a run that ended before its result."""
        if self.ended or os.getpid() != self.run:
            return
        self.ended = True
        self.flush()
        if self.failures.all:
            self.show_log()

    def show_log(self) -> None:
        """Display the path of the log, the last line of a failed run."""
        if self.short and (line := self.log.last_line()):
            self.screen.display(line, stderr=True)

    def v2_playbook_on_start(self, playbook: Any) -> None:
        """Name the log at the first playbook."""
        self.verb = self.verb or verb_of(list(context.CLIARGS["args"]))
        super().v2_playbook_on_start(playbook)
        self.playbooks += 1
        if self.short and self.playbooks == 1:
            atexit.register(self.end_early)
            before_termination(self.end_early)

    def v2_playbook_on_play_start(self, play: Any) -> None:
        """Open the log as soon as the state directory is prepared."""
        self.flush()
        state = play_state_directory(play) if self.log.path is None else None
        if state and is_prepared(state):
            self.log.open(state / f"{self.verb}.log")
        super().v2_playbook_on_play_start(play)

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        """Display the failures of the task before."""
        self.flush()
        self.failures.begin_task()
        super().v2_playbook_on_task_start(task, is_conditional)

    def v2_playbook_on_handler_task_start(self, task: Any) -> None:
        """Display the failures of the task before."""
        self.flush()
        self.failures.begin_task()
        super().v2_playbook_on_handler_task_start(task)

    def v2_runner_on_ok(self, result: Any) -> None:
        """Note that the task has ended on a host."""
        self.failures.handled(result.host.get_name())
        super().v2_runner_on_ok(result)

    def v2_runner_on_skipped(self, result: Any) -> None:
        """Note that the task has ended on a host."""
        self.failures.handled(result.host.get_name())
        super().v2_runner_on_skipped(result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """Note a failure that is displayed when the task has ended on all hosts."""
        # The default output removes parts of the result.
        found = dict(result.result)
        super().v2_runner_on_failed(result, ignore_errors)
        name, host = result.task.get_name(), result.host.get_name()
        self.failures.handled(host)
        # The text of a screen has its problems.
        printed = result.task.action == SCREEN and found.get("printed")
        if printed:
            self.failures.printed.add(host)
        if not self.short or ignore_errors or printed:
            return
        if is_rescued(result.task):
            self.failures.failed_in_block(name, host, found)
        else:
            self.failures.failed(name, host, found, rescue=is_rescue(result.task))

    def v2_runner_item_on_failed(self, result: Any) -> None:
        """Note the message of an item; the failure of the task follows."""
        found = dict(result.result)
        super().v2_runner_item_on_failed(result)
        self.failures.item_failed(result.host.get_name(), found)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        """Note an unreachable host."""
        found = dict(result.result)
        super().v2_runner_on_unreachable(result)
        name, host = result.task.get_name(), result.host.get_name()
        self.failures.handled(host)
        if self.short and not result.task.ignore_unreachable:
            self.failures.failed(name, host, found, unreachable=True)

    def v2_playbook_on_stats(self, stats: Any) -> None:
        """Display the end after the last playbook, or after a failed one."""
        super().v2_playbook_on_stats(stats)
        if not self.ended and ends_run(stats, self.playbooks):
            self.ended = True
            half_handled = False
            if self.short:
                self.failures.add_unhandled()
                half_handled = self.failures.add_half_handled(stats.failures)
            self.end(stats)
            if half_handled:
                raise SystemExit(FAILED)

    def _handle_exception(self, result: Any, use_stderr: bool = False) -> None:
        """Display no exception of a task with no_log: its text has the message of the task."""
        if "censored" in result:
            result.pop("exception", None)
        super()._handle_exception(result, use_stderr)

    @contextmanager
    def displayed(self, task: Any, wanted: bool = True, **options: Any) -> Iterator[None]:
        """Display the default output of an event, with the name of its task, if ``wanted``."""
        if not wanted or self.log.displayed is not None:
            yield
            return
        if self.task != task._uuid:
            self.task, self._last_task_banner = task._uuid, None
        self.log.displayed = options
        try:
            yield
        finally:
            self.log.displayed = None
