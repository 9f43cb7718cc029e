# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What the verbs on disks ask of declarations and findings."""

from typing import Any

from ..module_utils._replicas import log_dirs
from ..plugin_utils._operations import disk_operations


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Any]:
        """Names of the filters."""
        return {
            "paths_on_disk": log_dirs.below,
            "with_device": disk_operations.with_device,
            "validate_replacement": disk_operations.validate,
        }
