#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: machine_baseline
short_description: Write down how a whole run has left a machine
description:
  - Keeps what was declared, and of the machine the containers of the cluster, their files, and what
    tuning would do, so that M(metal.kafka.machine_info) can say that nothing has changed since.
  - A machine with a container that does not run gets no note, and the next run compares everything.
options:
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  declared:
    description: >-
      Digest of all declarations, from the lookup P(metal.kafka.declared#lookup), and a fingerprint
      of the settings that brokers have in force.
    type: list
    elements: str
    required: true
  kept:
    description: File of the note.
    type: path
    required: true
  specs:
    description: What M(metal.kafka.host_tuning) was asked, as it returns it.
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
- name: Machine is known as it was left
  metal.kafka.machine_baseline:
    cluster: prod
    declared: [0123456789abcdef, fedcba9876543210]
    kept: /etc/kafka-metal/.as-left/prod@node1.json
"""

RETURN = r"""
stopped:
  description: Containers that do not run; for their sake there is no note.
  type: list
  elements: str
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._containers import host_baseline
from ..module_utils._host import engine_api


def main() -> None:
    """Look at the machine and write."""
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "str", "required": True},
            "declared": {"type": "list", "elements": "str", "required": True},
            "kept": {"type": "path", "required": True},
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
                given["kept"],
                given["declared"],
                given["specs"],
            )
        except OSError as error:
            module.fail_json(msg=f"machine_baseline: {given['kept']}: {error.strerror}")
    # A note of our own, no change of the platform.
    module.exit_json(changed=False, stopped=stopped)


if __name__ == "__main__":
    main()
