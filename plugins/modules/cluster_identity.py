#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_identity
short_description: State of a cluster on a machine's disks
description:
  - Reads which CAs the services of a cluster trust and where its data is, as C(cluster) of
    M(metal.kafka.machine_info). Changes nothing.
options:
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  baseline_file:
    description: File of the machine's baseline.
    type: path
    required: true
  paths:
    description: Data directories.
    type: list
    elements: path
    default: []
  socket:
    description: Socket of the container engine.
    type: path
    default: /var/run/docker.sock
attributes:
  check_mode:
    description: Changes nothing.
    support: full
  diff_mode:
    description: Has no differences to show.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Read the machine's identity
  metal.kafka.cluster_identity:
    cluster: prod
    baseline_file: /etc/kafka-metal/.as-left/prod@node1.json
  register: security_identity
"""

RETURN = r"""
identity:
  description: >-
    C(running) and C(configured) services, C(roots) with fingerprints of trusted CAs, C(data)
    directories, and C(unreadable) files with the reason.
  type: dict
  returned: if it could be read
unknown:
  description: Why it could not be read.
  type: str
  returned: otherwise
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host import engine_api, trusted_cas


def main() -> None:
    """Read the state; a failure is part of the result."""
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "str", "required": True},
            "baseline_file": {"type": "path", "required": True},
            "paths": {"type": "list", "elements": "path", "default": []},
            "socket": {"type": "path", "default": engine_api.SOCKET},
        },
        supports_check_mode=True,
    )
    given = module.params
    try:
        found = trusted_cas.inspect(
            given["socket"], given["cluster"], given["baseline_file"], given["paths"]
        )
    except (OSError, ValueError) as error:
        module.exit_json(changed=False, unknown=str(error))
    module.exit_json(changed=False, identity=found)


if __name__ == "__main__":
    main()
