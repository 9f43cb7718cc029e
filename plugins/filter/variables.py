# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for names of variables."""

from __future__ import annotations

from typing import Any

from ..plugin_utils._declarations.service_data import to_builtin
from ..plugin_utils._site import renamed_variables


def renamed(names: Any) -> list[str]:
    """Return one message for each variable of an earlier release."""
    return renamed_variables.messages(to_builtin(list(names)))


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {"renamed_variables": renamed}
