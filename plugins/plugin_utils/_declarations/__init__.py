# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Declarations of an inventory: content, storage and containers, read and validated.

Imports no other package of plugin_utils.
"""
