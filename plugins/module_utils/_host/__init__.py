# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A Linux host: /proc, file systems, network, locks and marks of operations.

Runs with Python 3.9 and its library alone.
"""
