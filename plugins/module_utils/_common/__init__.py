# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Helpers that several packages share; imports no other package."""
