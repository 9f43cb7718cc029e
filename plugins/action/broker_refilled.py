# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Wait for the replicas of a broker, with progress."""

from ..plugin_utils._operations.resumable_action import ResumableAction


class ActionModule(ResumableAction):
    """Waits for the replicas of a broker with progress."""
