# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What the verbs on disks ask of declarations and findings."""

from typing import Any

from ansible_collections.metal.kafka.plugins.module_utils import disk_verbs, log_dirs


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, Any]:
        """Names of the filters."""
        return {
            "below": log_dirs.below,
            "with_device": disk_verbs.with_device,
            "judge_replacement": disk_verbs.judge,
        }
