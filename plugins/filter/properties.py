# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter that writes Java properties files."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._common import properties_file


def to_properties(values: Any) -> str:
    try:
        return properties_file.to_properties(values)
    except properties_file.PropertyError as error:
        raise AnsibleFilterError(f"metal.kafka.to_properties: {error}") from error


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {"to_properties": to_properties}
