# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Replicas: reassignments, leader elections, moves between log dirs, and comparison."""
