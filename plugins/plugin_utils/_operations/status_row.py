# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A row of the status screen."""

from __future__ import annotations


def status_row(name: str, kind: str, works: bool, endpoint: str, note: str = "") -> dict[str, str]:
    """Return the row of an instance; ``works``: whether it responds and has its role."""
    return {
        "name": name,
        "kind": kind,
        "state": "running" if works else "down",
        "health": "healthy" if works else "",
        "endpoint": endpoint,
        "note": note,
    }
