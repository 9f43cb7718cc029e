# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of a module for declarations that cannot be applied."""

from __future__ import annotations

from collections.abc import Sequence


class SpecError(Exception):
    """Declarations that cannot be applied: one message each, with subject, value and reason."""

    def __init__(self, messages: Sequence[str]) -> None:
        """Keep the messages apart, for a list of them."""
        super().__init__("; ".join(messages))
        self.messages = list(messages)
