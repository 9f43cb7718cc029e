# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A Linux host: /proc, file systems, network, operation locks and maintenance markers.

Runs with Python 3.9 or later and its standard library only.
"""
