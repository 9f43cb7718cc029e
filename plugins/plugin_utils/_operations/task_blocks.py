# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Position of a task in the blocks of its play."""

from __future__ import annotations

from typing import Any


def is_rescued(task: Any) -> bool:
    """Whether a failure of ``task`` is handled by the rescue section of a block around it."""
    return _in_section(task, "block")


def is_rescue(task: Any) -> bool:
    """Whether ``task`` is in a rescue section."""
    return _in_section(task, "rescue")


def _in_section(task: Any, section: str) -> bool:
    """Whether a block with a rescue section has ``task`` in a section, directly or deeper."""
    child, parent = task, task._parent
    while parent is not None:
        # Parents are includes and blocks; only blocks have sections. Ansible copies tasks, but
        # keeps their identifiers.
        if getattr(parent, "rescue", None):
            found = {each._uuid for each in getattr(parent, section)}
            if child._uuid in found:
                return True
        child, parent = parent, parent._parent
    return False
