# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Problems of certificates that expire soon; no I/O."""

from __future__ import annotations

from . import problem_kinds
from .platform_problem import Problem

# Days before its expiry from which a certificate is a page, as the alert CertificateExpiresSoon.
URGENT_DAYS = 3


def problem(where: str, text: str, days: float) -> Problem:
    """Return the problem of a certificate; ``days`` until it expires, negative after that."""
    return Problem(
        "CertificateExpires",
        where,
        f"{text}: make up renews it",
        "make up",
        severity=problem_kinds.PAGE if days < URGENT_DAYS else "",
    )
