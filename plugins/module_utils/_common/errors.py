# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of a module for declarations that cannot be applied."""

from __future__ import annotations

from collections.abc import Sequence


class UnmetError(Exception):
    """Declarations that cannot be applied: one message each, with subject, value and reason."""

    def __init__(self, sentences: Sequence[str]) -> None:
        """Keep the sentences apart, for a list of them."""
        super().__init__("; ".join(sentences))
        self.sentences = list(sentences)
