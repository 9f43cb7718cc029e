# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters over the declaration of a container."""

from __future__ import annotations

from typing import Any

from ..plugin_utils._declarations.container_diff import declaration_differences, service_state
from ..plugin_utils._declarations.service_data import container_paths, service_hash, ulimit


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {
            "container_paths": container_paths,
            "declaration_differences": declaration_differences,
            "service_hash": service_hash,
            "service_state": service_state,
            "ulimit": ulimit,
        }
