#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: container_baseline
short_description: Write the baseline of a container
description:
  - Saves the fingerprint of a container that matches its declaration, so that
    M(metal.kafka.service_files) can later report it as unchanged.
options:
  name:
    description: Name of the container.
    type: str
    required: true
  declared:
    description: Fingerprint of the container's declaration, not the declaration itself.
    type: str
    required: true
  baseline_file:
    description: File of the baseline.
    type: path
    required: true
  socket:
    description: Socket of the engine.
    type: path
    default: /var/run/docker.sock
attributes:
  check_mode:
    description: Writes nothing.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Save the container's baseline
  metal.kafka.container_baseline:
    name: local-kafka1
    declared: 0123456789abcdef
    baseline_file: /etc/kafka-metal/.as-left/local-kafka1
"""

RETURN = r"""
baseline_file:
  description: File of the baseline.
  type: str
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._containers import container_baseline
from ..module_utils._host import engine_api


def main() -> None:
    """Inspect the container and write its baseline."""
    module = AnsibleModule(
        argument_spec={
            "name": {"type": "str", "required": True},
            "declared": {"type": "str", "required": True},
            "baseline_file": {"type": "path", "required": True},
            "socket": {"type": "path", "default": engine_api.SOCKET},
        },
        supports_check_mode=True,
    )
    if not module.check_mode:
        container_baseline.save(**module.params)
    # The baseline is not part of the platform: report no change.
    module.exit_json(changed=False, baseline_file=module.params["baseline_file"])


if __name__ == "__main__":
    main()
