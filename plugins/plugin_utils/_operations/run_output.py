# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Output of a run: one line per step with changes, failures, messages, and the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._problems.messages import printable_line, shorten_list
from .applied_changes import Applied
from .failure_text import TAIL_LINES, Failures, plain_name, text_lines
from .host_count import host_count
from .progress_line import ProgressLine
from .remaining_work import clock, format_duration
from .run_screen import Screen, State

# Hosts in the replaced line.
REPLACED_LINE_HOSTS = 3
# Characters of the line of a step.
STEP_WIDTH = 160


def short(text: str, width: int) -> str:
    """Return the text, cut to ``width`` characters."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


@dataclass
class Step:
    """A play with hosts; batches of a serial play are one step."""

    name: str
    begun: float
    changes: Applied = field(default_factory=Applied)


@dataclass(frozen=True)
class Colours:
    """Names of Ansible's colours; ``used``: whether Ansible uses colours at all."""

    changed: str
    failed: str
    ok: str
    used: bool


class Output:
    """Output of one run. ``show`` is ``Display.display``; a callback notes the ``failures``."""

    def __init__(
        self, show: Callable[..., None], colours: Colours, failures: Failures | None = None
    ) -> None:
        """Start before the first play."""
        self.colours = colours
        self.began = time.monotonic()
        self.cluster: str | None = None
        self.check = False
        self.failures = failures or Failures()
        self.screen = Screen(show, self.state, colours.used)
        self.step: Step | None = None
        self.changes = 0
        # Returns the machine of a host.
        self.machine: Callable[[str], str] = str
        # Machines of the hosts with changes.
        self.changed: dict[str, str] = {}
        self._play = ""
        self._task = ""
        self._wait: ProgressLine | str = ""
        # The host of the wait; empty if the wait is of no single host.
        self._wait_host = ""
        self._running: dict[str, bool] = {}
        # Messages of the current task, with their hosts; a loop may repeat a message.
        self._messages: dict[str, set[str]] = {}
        self._first_failure: int | None = None

    def state(self) -> State:
        """Return the state for the replaced line."""
        text = self._task
        if failed := self.failures.pending_hosts():
            text = f"{shorten_list(failed, REPLACED_LINE_HOSTS)} failed; {text}"
        wait, running = self._wait, dict(self._running)
        waiting = [host for host, runs in running.items() if runs]
        if not wait and len(running) > 1 and waiting:
            done = len(running) - len(waiting)
            names = shorten_list(waiting, REPLACED_LINE_HOSTS)
            amount = f"{done} of {len(running)} hosts, waiting for {names}"
            wait = ProgressLine(amount, done, len(running))
        if wait:
            text = f"{text}: {wait.strip()}"
        # The thread that draws reads it, too.
        if step := self.step:
            # Last, because a narrow terminal cuts it.
            text = f"{text} ({step.name})"
        return State(
            clock(time.monotonic() - self.began),
            text,
            getattr(wait, "done", 0),
            getattr(wait, "total", 0),
        )

    def play(self, name: str) -> None:
        """Begin a play; it is a step once it has a task."""
        self.flush()
        if self.step and self.step.name != name:
            self.end_step()
        self._play = name

    def task(self, name: str) -> None:
        """Begin a task."""
        self.flush()
        if self.step is None:
            self.step = Step(self._play, time.monotonic(), Applied(self.cluster or ""))
        self._task, self._running = plain_name(name), {}
        self.wait("")

    def started(self, host: str) -> None:
        """Note that the task runs on a host."""
        self._running[host] = True

    def ended(self, host: str) -> None:
        """Note that the task has ended on a host."""
        self._running[host] = False
        if host == self._wait_host:
            self.wait("")

    def wait(self, text: ProgressLine | str, host: str = "") -> None:
        """Note the progress of a wait, which ends with the task on ``host``."""
        self._wait, self._wait_host = text, host

    def applied(
        self, host: str, action: str, task: str, result: Mapping[str, Any], once: bool
    ) -> None:
        """Add the result of a task."""
        if self.step:
            self.step.changes.add(host, action, task, result, once)

    def end_step(self) -> None:
        """End the step, with a line if it has changes."""
        step, self.step = self.step, None
        if step is None or not step.changes.count:
            return
        self.changes += step.changes.count
        new = step.changes.changed_hosts() - self.changed.keys()
        self.changed |= {host: self.machine(host) for host in new}
        now = time.monotonic()
        seconds = format_duration(now - step.begun)
        line = f"{clock(now - self.began):>5}  {printable_line(step.name)}, {seconds}: "
        self.show(short(line + step.changes.summary_line(), STEP_WIDTH), self.colours.changed)

    def show(self, text: str, color: str | None = None) -> None:
        """Print permanent lines."""
        self.screen.show(text, color)

    def message(self, host: str, texts: list[str]) -> None:
        """Note the message of a debug task, which is printed when the task has ended."""
        lines = [line for text in texts for line in text_lines(text)]
        if lines:
            self._messages.setdefault("\n".join(lines), set()).add(host)

    def flush(self) -> None:
        """Print messages and failures of the task that has ended."""
        for text, hosts in self._messages.items():
            # A message of every host needs no names.
            names = "" if len(hosts) == len(self._running) else f"{shorten_list(sorted(hosts))}: "
            self.show(f"{names}{text}")
        self._messages = {}
        if lines := self.failures.take():
            if self._first_failure is None:
                self._first_failure = self.screen.lines
            self.show("\n".join(lines), self.colours.failed)

    def end(self, failed: list[str], unreachable: list[str]) -> None:
        """Print the result."""
        self.flush()
        self.end_step()
        self.screen.close()
        if self._first_failure is not None:
            printed = self.screen.lines - self._first_failure
            if printed > TAIL_LINES + 2:
                self.show("\n".join(["", *self.failures.tail()]), self.colours.failed)
        colour = self.colours.failed if failed or unreachable else self.colours.ok
        self.show(self.result(failed, unreachable), colour)

    def result(self, failed: list[str], unreachable: list[str]) -> str:
        """Return the result of the run in one sentence."""
        seconds = time.monotonic() - self.began
        if failed or unreachable:
            reasons = [f"on {shorten_list(failed)}"] if failed else []
            reasons += [f"unreachable: {shorten_list(unreachable)}"] if unreachable else []
            where = "; ".join(reasons)
            return f"Failed after {clock(seconds)} {where}, after {self.changes_text()}."
        if self.check:
            return f"Check mode, {clock(seconds)}: {self.changes_text()}."
        if not self.changes:
            return f"Nothing changed, {format_duration(seconds)}."
        return f"Done in {clock(seconds)}: {self.changes_text()}."

    def changes_text(self) -> str:
        """Return the number of changes, and of the hosts that have any."""
        if not self.changes:
            return "no changes"
        where = f"on {host_count(self.changed)}" if self.changed else "in the cluster"
        return f"{self.changes} {'change' if self.changes == 1 else 'changes'} {where}"

    def end_early(self) -> None:
        """End a run that was interrupted, or that an error of Ansible has ended."""
        self.flush()
        self.end_step()
        self.screen.close()
        self.show(f"The run ended before its last task, after {self.changes_text()}.")
