# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Moves replicas between brokers, with progress."""

from ansible_collections.metal.kafka.plugins.plugin_utils.patient import PatientAction


class ActionModule(PatientAction):
    """Moves replicas with progress; the throttle goes also when it fails."""

    RELEASES = True
