# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of every module that changes nothing."""

from __future__ import annotations


class ModuleDocFragment:
    """Check mode and diff mode of modules that change nothing."""

    DOCUMENTATION = r"""
attributes:
  check_mode:
    description: Only reads.
    support: full
  diff_mode:
    description: Changes nothing.
    support: none
"""
