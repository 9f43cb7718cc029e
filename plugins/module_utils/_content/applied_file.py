# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The file on a broker's host with the content that earlier runs applied."""

from __future__ import annotations

import json
from typing import Any


class AppliedFileError(ValueError):
    """The file cannot be read; the message has its path and what is allowed."""


def read_applied(path: str) -> dict[str, Any]:
    """Return the applied state in a file, empty without a file; raises AppliedFileError."""
    try:
        with open(path, encoding="utf-8") as stream:
            found = json.load(stream)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise AppliedFileError(
            f"{path}: found {error}; allowed: a file that a run has written, or no file "
            "(undeclared content then counts as created by hand)"
        ) from error
    return found if isinstance(found, dict) else {}


def describe_applied(path: str) -> dict[str, Any]:
    """Return the applied state in a file as ``state``, and the ``error`` of reading it."""
    try:
        return {"state": read_applied(path), "error": ""}
    except AppliedFileError as error:
        return {"state": {}, "error": str(error)}
