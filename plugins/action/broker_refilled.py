# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Wait for the replicas of a broker, with progress."""

from ..plugin_utils._operations.resumable_action import PatientAction


class ActionModule(PatientAction):
    """Waits for the replicas of a broker with progress."""
