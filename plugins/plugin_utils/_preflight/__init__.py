# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Preflight: checks of an inventory and its machines before a run changes anything.

``check_table`` has the table of all checks, and ``checks`` runs them. Each other file ``check_*``
has the checks of one subject.
"""
