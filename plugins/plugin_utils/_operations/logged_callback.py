# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Base of callbacks that display a part of a run, and write Ansible's own output to a log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible import context
from ansible.plugins.callback.default import CallbackModule as Default

from .._site.play_inventory import play_state_directory
from .._site.state_directory import is_prepared
from .run_log import RunLog

# Module that prints a verb's screen.
SCREEN = "metal.kafka.screen"


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
    """The default output, in ``<verb>.log`` of the state directory; with -v it is displayed."""

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
        self.write_to_log()

    def write_to_log(self, show: Callable[..., None] | None = None) -> None:
        """Write the default output to the log; each event decides whether it is also displayed."""
        self._display = self.log.display_of(self.screen, show)
        self.log.displayed = {} if self.screen.verbosity else None

    def v2_playbook_on_start(self, playbook: Any) -> None:
        """Name the log at the first playbook."""
        self.verb = self.verb or verb_of(list(context.CLIARGS["args"]))
        super().v2_playbook_on_start(playbook)

    def v2_playbook_on_play_start(self, play: Any) -> None:
        """Open the log as soon as the state directory is prepared."""
        state = play_state_directory(play) if self.log.path is None else None
        if state and is_prepared(state):
            self.log.open(state / f"{self.verb}.log")
        super().v2_playbook_on_play_start(play)

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
