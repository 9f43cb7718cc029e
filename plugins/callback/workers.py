# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: workers
type: aggregate
author: The kafka-metal authors (!UNKNOWN)
short_description: End processes of tasks together with their run
description:
  - Ansible runs each task in a process with its own session. If the run is killed, such a process
    would continue its task. With this callback the kernel ends it at once. A module that is already
    running on a machine finishes there.
  - Prints nothing.
requirements:
  - named in C(callbacks_enabled)
  - Linux; no effect on other systems
"""

import contextlib
import ctypes
import os
import signal
import sys
from typing import Any

from ansible.plugins.callback import CallbackBase

# linux/prctl.h
PR_SET_PDEATHSIG = 1


def end_with(run: Any) -> None:
    """Let the kernel kill this forked process when its parent ``run`` ends."""
    if os.getppid() != run:
        # A process that a task has forked.
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # The run may have ended before prctl.
    if os.getppid() != run:
        os._exit(1)


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "metal.kafka.workers"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        run = os.getpid()
        if sys.platform == "linux":
            # For forked processes, not for programs that they execute.
            os.register_at_fork(after_in_child=lambda: end_with(run))
