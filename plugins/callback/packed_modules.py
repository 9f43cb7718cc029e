# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: packed_modules
type: aggregate
author: The kafka-metal authors (!UNKNOWN)
short_description: Pack modules for machines once, not in each run
description:
  - Ansible packs each module with its imports in each run that uses it. With this callback that is
    done once, until the collection or Ansible changes.
  - Keeps modules of this collection and of Ansible in C(~/.cache/kafka-metal/modules), or below
    C(XDG_CACHE_HOME) if it is set. The directory may be deleted. It is not used if other users may
    write to it, or to a directory above it.
  - Prints nothing.
requirements:
  - named in C(callbacks_enabled)
"""

from pathlib import Path
from typing import Any

from ansible import constants
from ansible.plugins.callback import CallbackBase

from ..plugin_utils._operations.packed_modules import PackedModules, default_folder


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "metal.kafka.packed_modules"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self.modules = PackedModules(default_folder())

    def v2_playbook_on_start(self, playbook: Any) -> None:
        self.modules.use(Path(constants.DEFAULT_LOCAL_TMP))

    def v2_playbook_on_stats(self, stats: Any) -> None:
        self.modules.keep(Path(constants.DEFAULT_LOCAL_TMP))
