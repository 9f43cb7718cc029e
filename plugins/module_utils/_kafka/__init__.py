# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Access to brokers: connections, configuration, health, and the gate before a stop."""
