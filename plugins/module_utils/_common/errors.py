# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What a module says of wishes that cannot be met."""

from __future__ import annotations

from collections.abc import Sequence


class UnmetError(Exception):
    """Wishes that cannot be met: one sentence for each, with its subject, wish and obstacle."""

    def __init__(self, sentences: Sequence[str]) -> None:
        """Keep the sentences apart, for a list of them."""
        super().__init__("; ".join(sentences))
        self.sentences = list(sentences)
