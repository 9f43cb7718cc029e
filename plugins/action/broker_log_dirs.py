# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Moves replicas between log dirs, with progress."""

from ..plugin_utils._operations.resumable_action import ResumableAction


class ActionModule(ResumableAction):
    """Moves replicas with progress; the limit of speed goes also when it fails."""

    RELEASES = True
