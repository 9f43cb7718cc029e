# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter that reads sizes."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._common import units


def size_bytes(value: Any) -> int:
    try:
        return units.size_bytes(value)
    except units.UnitError as error:
        raise AnsibleFilterError(f"metal.kafka.size_bytes: {error}") from error


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {"size_bytes": size_bytes}
