# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: preload
type: aggregate
author: The kafka-metal authors (!UNKNOWN)
short_description: Load plugins and defaults of the collection once per run
description:
  - Ansible runs each task of each host in a process forked from the run. Plugins that the run has
    not loaded are read and compiled again in every such process. This callback loads the
    collection's lookups and filters, and the defaults of its roles, before the first task.
  - Prints nothing.
requirements:
  - named in C(callbacks_enabled)
"""

import pkgutil
from types import ModuleType
from typing import Any

from ansible.plugins.callback import CallbackBase
from ansible.plugins.loader import filter_loader, lookup_loader

from .. import filter as filters
from .. import lookup as lookups
from ..plugin_utils._site.variables import defaults

COLLECTION = "metal.kafka"


def names(package: ModuleType) -> list[str]:
    """Full names of the plugins in the files of ``package``."""
    return [f"{COLLECTION}.{each.name}" for each in pkgutil.iter_modules(package.__path__)]


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "metal.kafka.preload"
    CALLBACK_NEEDS_ENABLED = True

    def v2_playbook_on_start(self, playbook: Any) -> None:
        for name in names(lookups):
            lookup_loader.get(name, class_only=True)
        for name in names(filters):
            filter_loader.get(name)
        defaults()
