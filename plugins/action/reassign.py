# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Move replicas between brokers, with progress."""

from ..plugin_utils._operations.resumable_action import ResumableAction


class ActionModule(ResumableAction):
    """Moves replicas with progress; removes the throttle also after a failure."""

    RELEASES = True
