# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters of the disk verbs."""

from typing import Any

from ..module_utils._replicas import log_dirs
from ..plugin_utils._operations import disk_operations


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {
            "paths_on_disk": log_dirs.paths_below,
            "with_device": disk_operations.with_device,
            "validate_replacement": disk_operations.validate,
        }
