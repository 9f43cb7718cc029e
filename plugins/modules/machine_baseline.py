#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: machine_baseline
short_description: Write the baseline of a machine after a complete run
description:
  - Saves the declarations, and the state of the cluster's containers, their files and pending
    tuning on the machine, so that M(metal.kafka.machine_info) can report changes since then.
  - A machine with a stopped container gets no baseline, and the next run compares everything.
options:
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  declared:
    description: >-
      Two digests. The first is of all declarations, from the lookup P(metal.kafka.declared#lookup),
      the second of the brokers' effective settings.
    type: list
    elements: str
    required: true
  baseline_file:
    description: File of the baseline.
    type: path
    required: true
  specs:
    description: RV(metal.kafka.host_tuning#module:specs) of the run.
    type: dict
    default: {}
  socket:
    description: Socket of the container engine.
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
- name: Write the machine's baseline
  metal.kafka.machine_baseline:
    cluster: prod
    declared: [0123456789abcdef, fedcba9876543210]
    baseline_file: /etc/kafka-metal/.as-left/prod@node1.json
"""

RETURN = r"""
stopped:
  description: Containers that do not run; with any of them no baseline is saved.
  type: list
  elements: str
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._containers import host_baseline
from ..module_utils._host import engine_api


def main() -> None:
    """Inspect the machine and write its baseline."""
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "str", "required": True},
            "declared": {"type": "list", "elements": "str", "required": True},
            "baseline_file": {"type": "path", "required": True},
            "specs": {"type": "dict", "default": {}},
            "socket": {"type": "path", "default": engine_api.SOCKET},
        },
        supports_check_mode=True,
    )
    given = module.params
    stopped = []
    if not module.check_mode:
        try:
            stopped = host_baseline.save(
                given["socket"],
                given["cluster"],
                given["baseline_file"],
                given["declared"],
                given["specs"],
            )
        except OSError as error:
            module.fail_json(msg=f"machine_baseline: {given['baseline_file']}: {error.strerror}")
    # The baseline is not part of the platform: report no change.
    module.exit_json(changed=False, stopped=stopped)


if __name__ == "__main__":
    main()
