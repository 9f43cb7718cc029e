# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Containers: states, faults, baselines of earlier runs, image contents, support archives."""
