# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Waits for the replicas of a broker, with progress."""

from ansible_collections.metal.kafka.plugins.plugin_utils.patient import PatientAction


class ActionModule(PatientAction):
    """Waits for the replicas of a broker with progress."""
