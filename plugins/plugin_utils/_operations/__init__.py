# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What verbs do: plans, rolling order, waits, upgrades, and what they print."""
