# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Brokers over the wire: connections, configuration, health, the gate before a stop."""
