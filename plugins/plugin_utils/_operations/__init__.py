# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Logic of the verbs: plans, rolling order, waits, upgrades, and their output."""
