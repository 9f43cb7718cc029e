# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Failed tasks as text: the message of each host, equal messages once with all their hosts.

Callbacks print them: ``logged_callback`` notes the failures of a run for all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._problems.messages import printable_line, shorten_list
from .run_log import COLOUR

# Prefixes of Ansible that name no cause.
PREFIXES = ("Task failed: ", "Module failed: ", "Action failed: ")
# Last lines of a command's output.
OUTPUT_LINES = 10
# Lines of the repetition at the end of a run, of one cause in it, and characters of its lines.
TAIL_LINES, CAUSE_LINES, TAIL_WIDTH = 15, 4, 200
HALF_HANDLED = "A rescue section handled this, but Ansible runs no later play on this host."
# Hosts in the first line of a failure.
FAILURE_HOSTS = 20


def text_lines(text: Any) -> list[str]:
    """Return the lines of a text of any origin, without colours and control characters."""
    lines = COLOUR.sub("", str(text)).expandtabs().splitlines()
    return [printable_line(line.rstrip()) for line in lines if line.strip()]


def message(result: Mapping[str, Any]) -> list[str]:
    """Return the message of a failed result in full, by lines."""
    if "censored" in result:
        return ["The message is hidden, because the task has no_log."]
    found = result.get("msg")
    parts = found if isinstance(found, list) else [found] if found else []
    lines = [line for each in parts for line in text_lines(without_prefixes(str(each)))]
    return lines + list(output_lines(result)) or ["The task gave no message."]


def item_message(result: Mapping[str, Any]) -> list[str]:
    """Return the message of a failed item of a loop, with the label of the item."""
    lines = message(result)
    if "censored" in result:
        return lines
    label = printable_line(str(result.get("_ansible_item_label", result.get("item", ""))))
    return [f"{label[:TAIL_WIDTH]}: {lines[0]}", *lines[1:]]


def plain_name(task: str) -> str:
    """Return the name of a task without its role, which Ansible puts before it."""
    return printable_line(task.rpartition(" : ")[2])


def without_prefixes(text: str) -> str:
    """Return a message without the prefixes that Ansible adds."""
    for prefix in PREFIXES:
        text = text.removeprefix(prefix)
    return text


def output_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield exit code, command and the end of the output of a failed command or crashed module."""
    if command := result.get("cmd"):
        text = " ".join(map(str, command)) if isinstance(command, list) else str(command)
        yield printable_line(f"command: {text}")
    if result.get("rc"):
        yield f"exit code: {result['rc']}"
    for name in ("stderr", "stdout", "module_stderr", "module_stdout"):
        yield from text_lines(result.get(name) or "")[-OUTPUT_LINES:]


@dataclass
class Failure:
    """A task that failed with the same message on one or several hosts."""

    task: str
    lines: list[str]
    unreachable: bool = False
    hosts: list[str] = field(default_factory=list)

    def title(self) -> str:
        """Return the first line: hosts and task."""
        what = "unreachable" if self.unreachable else "failed"
        return f"{shorten_list(sorted(self.hosts), FAILURE_HOSTS)} {what}: {self.task}"

    def text(self) -> list[str]:
        """Return the failure in full."""
        return [self.title(), *(f"  {line}" for line in self.lines)]

    def short(self, most: int) -> list[str]:
        """Return the failure in at most ``most`` lines, which are at least two."""
        lines = self.text()
        if len(lines) > most:
            hidden = len(lines) - most + 1
            lines = [*lines[: most - 1], f"{lines[most - 1]} (and {hidden - 1} more lines)"]
        return [line if len(line) <= TAIL_WIDTH else f"{line[:TAIL_WIDTH]}…" for line in lines]


class Failures:
    """Failures of a run in their order; those of the current task are not printed yet."""

    def __init__(self) -> None:
        """Start without failures."""
        self.all: list[Failure] = []
        self._pending: list[Failure] = []
        # Failures that a rescue section handles, by host.
        self._rescued: dict[str, tuple[str, list[str]]] = {}
        # Hosts on which no task has ended since.
        self._unhandled: set[str] = set()
        # Hosts whose failure is the text of a screen.
        self.printed: set[str] = set()
        # Messages of failed items of the current task, by host.
        self._items: dict[str, list[str]] = {}

    def begin_task(self) -> None:
        """Begin a task."""
        self._items = {}

    def failed(
        self,
        task: str,
        host: str,
        result: Mapping[str, Any],
        unreachable: bool = False,
        rescue: bool = False,
    ) -> None:
        """Add the failed result of a task on a host; ``rescue``: of a rescue section."""
        lines = self._message(host, result)
        if rescue:
            lines = self.with_rescued(host, lines)
        self.add(plain_name(task), host, lines, unreachable)

    def item_failed(self, host: str, result: Mapping[str, Any]) -> None:
        """Note the failed item of a loop; the failure of the task follows."""
        self._items.setdefault(host, []).extend(item_message(result))

    def failed_in_block(self, task: str, host: str, result: Mapping[str, Any]) -> None:
        """Note a failed result that a rescue section handles."""
        self.rescued(plain_name(task), host, self._message(host, result))

    def _message(self, host: str, result: Mapping[str, Any]) -> list[str]:
        """Return the message of a failed task; that of a loop has the messages of its items."""
        return self._items.pop(host, None) or message(result)

    def rescued(self, task: str, host: str, lines: list[str]) -> None:
        """Note a failure that a rescue section handles; a failure of the section names it."""
        self._rescued[host] = task, lines
        self._unhandled.add(host)

    def handled(self, host: str) -> None:
        """Note that a task has ended on a host: its rescue section runs, if one has to."""
        self._unhandled.discard(host)

    def with_rescued(self, host: str, lines: list[str]) -> list[str]:
        """Return the message of a failed rescue section, with the failure that it handled."""
        task, [line, *_] = self._rescued.pop(host, ("", [""]))
        known = line in "\n".join(lines)
        return lines if known else [*lines, f"This handled a failure of {task}: {line}"]

    def add_unhandled(self) -> None:
        """Add failures whose rescue section did not run.

        Ansible ends a run when a task file is invalid, without running the section.
        """
        for host, (task, lines) in self._rescued.items():
            if host in self._unhandled:
                self.add(task, host, lines)

    def add_half_handled(self, failed: Collection[str]) -> bool:
        """Add failures whose rescue section ran, on hosts that Ansible counts as ``failed``.

        When a task file is missing, Ansible runs the section and the rest of the play, but no
        later play on this host, and ends with exit code 0. Return whether there is any.
        """
        known = self.printed.union(*(each.hosts for each in self.all))
        found = [host for host in self._rescued if host in failed and host not in known]
        for host in found:
            task, lines = self._rescued[host]
            self.add(task, host, [*lines, HALF_HANDLED])
        return bool(found)

    def pending_hosts(self) -> list[str]:
        """Return the hosts on which the current task has failed."""
        return [host for each in self._pending for host in each.hosts]

    def add(self, task: str, host: str, lines: list[str], unreachable: bool = False) -> None:
        """Add the failure of a task on a host."""
        for known in self._pending:
            if (known.task, known.lines, known.unreachable) == (task, lines, unreachable):
                known.hosts.append(host)
                return
        found = Failure(task, lines, unreachable, [host])
        self._pending.append(found)
        self.all.append(found)

    def take(self) -> list[str]:
        """Return the lines of failures that are not printed yet."""
        lines = [line for each in self._pending for line in each.text()]
        self._pending = []
        return lines

    def tail(self) -> list[str]:
        """Return all causes in at most TAIL_LINES lines."""
        count = len(self.all)
        # One line for the number of others.
        shown = self.all if count * 2 <= TAIL_LINES else self.all[: (TAIL_LINES - 1) // 2]
        most = max(2, min(CAUSE_LINES, (TAIL_LINES - 1) // max(len(shown), 1)))
        lines = [line for each in shown for line in each.short(most)]
        rest = count - len(shown)
        return lines + ([f"and {rest} more failures, in the log"] if rest else [])
