# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: workers
type: aggregate
author: The kafka-metal authors (!UNKNOWN)
short_description: Processes of tasks end with the run that started them
description:
  - Ansible runs each task in a process with a session of its own. If the run is killed, such a
    process would finish its task, however long that takes. With this callback the kernel ends it at
    once. A module that runs on a machine at that moment is finished there.
  - Prints nothing.
requirements:
  - named in C(callbacks_enabled)
  - Linux; elsewhere it does nothing
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
    """Let the kernel kill this process, which ``run`` has forked, when that ends."""
    if os.getppid() != run:
        # Processes of tasks fork others in their turn.
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # It may have ended just before.
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
            # In every process that is forked, not in programs that one starts.
            os.register_at_fork(after_in_child=lambda: end_with(run))
