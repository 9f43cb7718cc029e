# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Progress of a wait, from the process of a task to the callback of the run."""

from __future__ import annotations

from ansible.utils.display import Display


class ProgressLine(str):
    """A line that the next one replaces, with amounts for a bar; ``total`` is 0 if unknown.

    Ansible sends the arguments of ``Display.display`` from the process of a task to the run. Only
    a text arrives at every callback: one that draws no bar prints it like any other line.
    """

    done: float
    total: float

    def __new__(cls, text: str, done: float = 0, total: float = 0) -> ProgressLine:
        """Return the text with its amounts."""
        line = super().__new__(cls, text)
        line.done, line.total = done, total
        return line


def show(text: str, done: float = 0, total: float = 0, color: str | None = None) -> None:
    """Display the progress of a wait; the remaining time is a part of ``text``."""
    Display().display(ProgressLine(text, done, total), color=color)
